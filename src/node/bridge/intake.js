// What a call is given, read without trusting any of it: a getter may throw, a
// list may have no end, a text may be of any size.

// What a request may hold; anything else is ignored, so it is not read.
const REQUEST_FIELDS = [
  'terms', 'question', 'limit', 'sessionId', 'since', 'until',
  'anchor', 'anchorMessageId', 'before', 'after',
  'id', 'materialId', 'bytes', 'source', 'query',
]
// Longer lists and texts are too long for any field; this much shows it.
const REQUEST_ITEMS = 64
const REQUEST_TEXT = 4096
// Turn ids read at most: an iterable may have no end.
const EXCLUDED_TURNS = 10_000

const { parse, stringify } = JSON

const isObject = (value) => typeof value === 'object' && value !== null
const isMissing = (value) => value === undefined || value === null

/** `object[key]`, or `undefined` when that fails. */
const read = (object, key) => {
  try {
    return isMissing(object) ? undefined : object[key]
  } catch {
    return undefined
  }
}

/** A value of a request field; what is no JSON stays a value of the wrong type. */
const plain = (value) => {
  switch (typeof value) {
    case 'string':
      return value.length <= REQUEST_TEXT ? value : value.trim().slice(0, REQUEST_TEXT)
    case 'number':
    case 'boolean':
      return value
    case 'undefined':
      return undefined
    default:
      if (value === null) return null
      return Array.isArray(value) ? [] : {}
  }
}

const items = (list) => {
  const copy = []
  const length = Math.min(list.length, REQUEST_ITEMS)
  for (let index = 0; index < length; index++) copy.push(plain(list[index]) ?? null)
  return copy
}

/** The request as JSON; `undefined` when it cannot be read. */
const requestText = (request) => {
  try {
    if (!isObject(request) || Array.isArray(request)) return stringify(plain(request))
    const copy = {}
    for (const field of REQUEST_FIELDS) {
      const value = request[field]
      copy[field] = Array.isArray(value) ? items(value) : plain(value)
    }
    return stringify(copy)
  } catch {
    return undefined
  }
}

// Options: one of the wrong type counts as absent.

const text = (value) => (typeof value === 'string' ? value : undefined)

/** A whole number of at least `least`; `Infinity` is none. */
const whole = (value, least) =>
  typeof value === 'number' && least <= value && value !== Infinity
    ? Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER)
    : undefined

/** A limit on a count. */
const limit = (value) => whole(value, 1)

/** A number of bytes. */
const size = (value) => whole(value, 0)

/** The strings of an iterable, up to where reading it fails. */
const texts = (iterable) => {
  if (typeof iterable === 'string') return [iterable]
  const found = []
  try {
    let count = 0
    for (const value of iterable ?? []) {
      if (typeof value === 'string') found.push(value)
      if (EXCLUDED_TURNS <= ++count) break
    }
  } catch {
    return found
  }
  return found
}

/** The signal, when it can be listened to or has fired. */
const usable = (signal) => {
  if (read(signal, 'aborted') === true) return signal
  const listens = typeof read(signal, 'addEventListener') === 'function'
  return listens && typeof read(signal, 'removeEventListener') === 'function' ? signal : undefined
}
