// Talks to an engine in a process of its own (`worker.mjs`).

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url))

/** A running engine. */
export class EngineProcess {
  #child

  /** Starts the engine module at `path` for a workspace. */
  static async start(path, root) {
    const engine = new EngineProcess()
    engine.#child = fork(WORKER, [path, root], { serialization: 'advanced' })
    await engine.#reply()
    return engine
  }

  async ask(command, argument) {
    const reply = this.#reply()
    this.#child.send({ command, argument })
    return reply
  }

  async stop() {
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }

  async #reply() {
    const abandon = new AbortController()
    try {
      const [message] = await Promise.race([
        once(this.#child, 'message', { signal: abandon.signal }),
        once(this.#child, 'exit', { signal: abandon.signal }).then(([code, signal]) => {
          throw new Error(`the engine ended without an answer (${signal ?? `exit code ${code}`})`)
        }),
      ])
      if (message.error !== undefined) throw new Error(message.error)
      return message.value
    } finally {
      abandon.abort()
    }
  }
}

/** The first answer of a fresh process: its time, the answer, and the memory it took. */
export async function coldAnswer(path, root, request) {
  const engine = await EngineProcess.start(path, root)
  try {
    const before = await engine.ask('memory')
    const { times, answer } = await engine.ask('recall', { request })
    const after = await engine.ask('memory')
    return { ms: times[0], answer, extraRss: after.peak - before.rss }
  } finally {
    await engine.stop()
  }
}
