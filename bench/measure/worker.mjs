// One engine in a process of its own, so that its memory and its event loop
// are its own. Started by `client.mjs`; answers commands one at a time.

import { existsSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const SETTLE_MS = 10

const engine = await import(pathToFileURL(process.argv[2]).href)
const root = process.argv[3]
const deps = { workspaceRoot: root, getPrivacyContext: () => ({ incognitoActive: false }) }

const commands = {
  /** `repeat` answers to one request: the time of each, and the last answer. */
  async recall({ request, options, repeat = 1 }) {
    const times = []
    let answer
    for (let count = 0; count < repeat; count += 1) {
      const began = performance.now()
      answer = await engine.recall(request, deps, options)
      times.push(performance.now() - began)
    }
    return { times, answer }
  },

  /** Reads ahead, where the engine can. */
  async warm() {
    const began = performance.now()
    const report = await engine.warm?.(root)
    return { ms: performance.now() - began, report }
  },

  /** How late timers come, idle for `idleMs`, or while the requests are answered one after another. */
  async delay({ requests = [], idleMs }) {
    const histogram = monitorEventLoopDelay({ resolution: 1 })
    histogram.enable()
    // A delay is the time between two timers: one has to come before, and one after every answer.
    await sleep(SETTLE_MS)
    if (idleMs !== undefined) await sleep(idleMs)
    for (const request of requests) {
      await engine.recall(request, deps, {})
      await sleep(SETTLE_MS)
    }
    histogram.disable()
    const ms = (nanoseconds) => nanoseconds / 1e6
    return { mean: ms(histogram.mean), p99: ms(histogram.percentile(99)), max: ms(histogram.max) }
  },

  /** Bytes now and at most so far. */
  memory() {
    return { rss: process.memoryUsage.rss(), peak: peakRss() }
  },

  /** What the engine says that it holds. */
  stats() {
    return engine.stats?.()
  },
}

/** Linux passes `maxRSS` on from the process that forked this one; its own peak stands in /proc. */
function peakRss() {
  if (!existsSync('/proc/self/status')) return process.resourceUsage().maxRSS * 1024
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024
}

process.on('message', async ({ command, argument }) => {
  try {
    process.send({ value: await commands[command](argument ?? {}) })
  } catch (error) {
    process.send({ error: error.stack ?? String(error) })
  }
})
process.on('disconnect', () => process.exit(0))
process.send({ value: 'ready' })
