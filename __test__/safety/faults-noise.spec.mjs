// Pages of the files overwritten with noise: an answer or a typed failure, never
// a crash, never a hang.
//
//   RECALL_SAFETY_SEEDS=20000 npx node --test __test__/safety/faults-noise.spec.mjs

import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'

import { workspace } from './changes.mjs'
import { HostProcess } from './host.mjs'
import { Remote } from './remote.mjs'

const SEEDS = Number(process.env.RECALL_SAFETY_SEEDS ?? 200)
/** Seeds of one process. */
const BATCH = 25
/** What a seed may take: a hang is longer. Locks that noise leaves are waited for. */
const HANGS_MS = 60_000
const OUTCOMES = new Set(['answer', 'unavailable', 'unsupported_workspace', 'not_found'])

/** Runs the seeds of a batch; a crash or a hang is told with its seed. */
async function batch(root, first, end) {
  const process = new Remote(new URL('noise.mjs', import.meta.url), [root, String(first), String(end)])
  let heard = -1
  const watch = setInterval(() => {
    if (heard === process.said.length) process.kill('SIGKILL')
    heard = process.said.length
  }, HANGS_MS)
  const { code, signal, err } = await process.exited
  clearInterval(watch)
  const last = process.said.at(-1)
  assert.deepEqual([code, signal, err], [0, null, ''], `after ${JSON.stringify(last)}`)
  return process.said.filter(({ answers }) => answers !== undefined)
}

for (const [name, options] of Object.entries({ 'at rest': {}, 'with a log that a crash has left': { crash: true } })) {
  test(`${SEEDS / 2} workspaces ${name}`, async (t) => {
    const { root, remove } = await workspace()
    if (options.crash) {
      const host = new HostProcess(root)
      await host.change('appendTurn', { sessionId: 'plain', user: 'alpha, logged', assistant: 'x' })
      await host.change('rename', { sessionId: 'old', name: 'alpha, logged' })
      host.kill('SIGKILL')
      await host.exited
    }
    const batches = []
    for (let seed = 0; seed < SEEDS / 2; seed += BATCH) batches.push([seed, Math.min(seed + BATCH, SEEDS / 2)])
    const counts = {}
    const next = async () => {
      for (let range = batches.shift(); range !== undefined; range = batches.shift()) {
        for (const { seed, answers } of await batch(root, ...range)) {
          for (const answer of answers) {
            assert.ok(OUTCOMES.has(answer), `seed ${seed}: ${answer}`)
            counts[answer] = (counts[answer] ?? 0) + 1
          }
        }
      }
    }
    await Promise.all(Array.from({ length: availableParallelism() }, next))
    remove()
    t.diagnostic(JSON.stringify(counts))
    // The noise did something, and not everything was lost to it.
    assert.ok(0 < counts.answer && 0 < counts.unavailable)
  })
}
