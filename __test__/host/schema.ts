// Schemas for tool inputs: each checks a value and knows its type.

/** What came of a check. */
export type Checked<T> = { ok: true; value: T } | { ok: false; message: string }

export interface Schema<T> {
  check(value: unknown, path?: string): Checked<T>
  optional(): Schema<T | undefined>
  describe(text: string): Schema<T>
  readonly description?: string
}

/** The type that a schema accepts. */
export type Infer<S> = S extends Schema<infer T> ? T : never

type Shape = Record<string, Schema<unknown>>
type ObjectOf<S extends Shape> = { [K in keyof S]: Infer<S[K]> }

export function string(): Schema<string> {
  return schema((value, path) => (typeof value === 'string' ? accept(value) : refuse(path, 'a string')))
}

export function integer(least: number, most: number): Schema<number> {
  return schema((value, path) => {
    const fits = Number.isInteger(value) && least <= (value as number) && (value as number) <= most
    return fits ? accept(value as number) : refuse(path, `a whole number from ${least} to ${most}`)
  })
}

export function time(): Schema<number> {
  return schema((value, path) => {
    return typeof value === 'number' && Number.isFinite(value) ? accept(value) : refuse(path, 'a time in epoch ms')
  })
}

export function list<T>(item: Schema<T>, most: number): Schema<T[]> {
  return schema((value, path) => {
    if (!Array.isArray(value) || most < value.length) return refuse(path, `a list of at most ${most}`)
    const items: T[] = []
    for (const [index, entry] of value.entries()) {
      const checked = item.check(entry, `${path}[${index}]`)
      if (!checked.ok) return checked
      items.push(checked.value)
    }
    return accept(items)
  })
}

export function object<S extends Shape>(shape: S): Schema<ObjectOf<S>> {
  return schema((value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(path, 'an object')
    const fields: Record<string, unknown> = {}
    for (const [name, field] of Object.entries(shape)) {
      const checked = field.check((value as Record<string, unknown>)[name], `${path}.${name}`)
      if (!checked.ok) return checked
      if (checked.value !== undefined) fields[name] = checked.value
    }
    return accept(fields as ObjectOf<S>)
  })
}

function schema<T>(check: (value: unknown, path: string) => Checked<T>, description?: string): Schema<T> {
  return {
    check: (value, path = 'input') => check(value, path),
    optional: () => schema<T | undefined>((value, path) => (value === undefined ? accept(undefined) : check(value, path)), description),
    describe: (text) => schema(check, text),
    ...(description === undefined ? {} : { description }),
  }
}

function accept<T>(value: T): Checked<T> {
  return { ok: true, value }
}

function refuse(path: string, wanted: string): { ok: false; message: string } {
  return { ok: false, message: `${path} must be ${wanted}` }
}
