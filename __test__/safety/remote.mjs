// A program of ours in a process of its own: calls go in as lines of JSON on
// its stdin, answers come out on its stdout. It ends when its stdin does, so it
// never outlives the process that started it.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Answers the calls of a parent: `methods` by name, each at once or later. */
export function serve(methods) {
  const lines = createInterface({ input: process.stdin })
  lines.on('line', async (line) => {
    const { id, name, args } = JSON.parse(line)
    try {
      say({ id, value: (await methods[name](...args)) ?? null })
    } catch (error) {
      say({ id, error: { message: String(error?.message ?? error), code: error?.code, errcode: error?.errcode } })
    }
  })
  lines.on('close', () => process.exit(0))
}

/** Says something to the parent that no call asked for. */
export function say(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

/** The parent's end of such a program. */
export class Remote {
  #child
  #calls = new Map()
  #count = 0
  #ended = false

  /** How it ended: `{code, signal, err}`. */
  exited
  /** What it said without being asked. */
  said = []

  /** Starts `file` (a URL); `options` go to `spawn`. With `noRoom` it can write no byte into any file. */
  constructor(file, args = [], { noRoom = false, ...options } = {}) {
    const command = [process.execPath, '--no-warnings', fileURLToPath(file), ...args]
    if (noRoom) command.unshift('/bin/sh', '-c', 'ulimit -f 0; exec "$@"', 'sh')
    const [program, ...argv] = command
    this.#child = spawn(program, argv, { stdio: ['pipe', 'pipe', 'pipe'], ...options })
    let err = ''
    this.#child.stderr.on('data', (data) => (err += data))
    this.#child.stdin.on('error', () => {})
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#hear(JSON.parse(line)))
    this.exited = new Promise((resolve) => {
      this.#child.on('close', (code, signal) => {
        this.#ended = true
        for (const { reject } of this.#calls.values()) reject(new Error(`the process ended (${code ?? signal}): ${err}`))
        this.#calls.clear()
        resolve({ code, signal, err })
      })
    })
  }

  get pid() {
    return this.#child.pid
  }

  /** Calls a method there. */
  call(name, ...args) {
    if (this.#ended) return Promise.reject(new Error('the process has ended'))
    const id = (this.#count += 1)
    const answer = new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }))
    this.#child.stdin.write(`${JSON.stringify({ id, name, args: args.filter((arg) => arg !== undefined) })}\n`)
    return answer
  }

  /** Lets it end, and waits for that. */
  close() {
    this.#child.stdin.end()
    return this.exited
  }

  /** Sends a signal. */
  kill(signal) {
    return this.#child.kill(signal)
  }

  #hear({ id, value, error, ...rest }) {
    if (id === undefined) {
      this.said.push(rest)
      return
    }
    const { resolve, reject } = this.#calls.get(id)
    this.#calls.delete(id)
    if (error === undefined) resolve(value)
    else reject(Object.assign(new Error(error.message), error))
  }
}
