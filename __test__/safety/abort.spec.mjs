// A call that is aborted in the middle of work on a large workspace: it settles
// at once, its work stops, nothing is left, and the next call is as ever.
//
//   RECALL_SAFETY_SIZE=180MB npx node --test __test__/safety/abort.spec.mjs

import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'

import * as addon from '../../index.js'
import { cachedWorkspace } from '../../bench/generate.mjs'
import { TELLS, gone, listenersOf, openBelow, threadsOfCalls, threadsOfPool } from './leftovers.mjs'

const SIZE = process.env.RECALL_SAFETY_SIZE ?? '18MB'
/** Points in the course of a call at which it is aborted. */
const POINTS = 12
const SHARING = 60
/** Of the database: those of the host, of answers and of the background, now and before a release. */
const MOST_DESCRIPTORS = 8
const ABORTED = { ok: false, reason: 'aborted', message: 'Recall was aborted.' }

/** Calls whose fastest says how long one takes: a first one beside other tests takes several times that. */
const CALLS = 3
/** Where the time goes in a cold call. */
const PHASES = {
  'while Sessions are narrowed': { request: { terms: ['zzzznotfound'] } },
  'while messages are scored': { request: { terms: ['the', '的'] }, options: { fullScan: true } },
  'while threads are searched': { operation: 'searchThreads', request: { source: 'thread', query: 'zzzznotfound' } },
}

let root
let host
before(() => {
  root = cachedWorkspace({ size: SIZE })
  host = new DatabaseSync(join(root, 'runtime.sqlite'))
})
after(() => host.close())

function ask({ operation = 'recall', request, options }, abortSignal) {
  const deps = { workspaceRoot: root, getPrivacyContext: () => ({ incognitoActive: false }) }
  return addon[operation](request, deps, { ...options, abortSignal })
}

/** Nothing is left but the threads of the pool; how long the last call went on. */
async function nothingIsLeft(signal) {
  assert.equal(listenersOf(signal), 0)
  const stopped = TELLS ? await gone(threadsOfCalls) : 0
  // A read that goes on would keep the log from being cut.
  assert.equal(host.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get().busy, 0)
  if (!TELLS) return stopped
  assert.ok(threadsOfPool() <= availableParallelism())
  addon.release(root)
  const open = (name) => openBelow(root).filter((path) => path === name).length
  // A connection has the log open, and in the end only the host's is left.
  await gone(() => open('runtime.sqlite-wal') - 1)
  // SQLite keeps a descriptor, to use it again, while another connection has a lock.
  assert.ok(open('runtime.sqlite') <= MOST_DESCRIPTORS)
  return stopped
}

describe('an abort', () => {
  for (const [phase, question] of Object.entries(PHASES)) {
    test(phase, async (t) => {
      let expected
      let whole = Infinity
      for (let call = 0; call < CALLS; call++) {
        addon.release(root)
        const began = performance.now()
        expected = await ask(question)
        whole = Math.min(whole, performance.now() - began)
      }
      const settled = []
      const stopped = []
      for (let point = 0; point < POINTS; point++) {
        addon.release(root)
        const controller = new AbortController()
        const answer = ask(question, controller.signal)
        await setTimeout((whole * point) / POINTS)
        const requested = performance.now()
        controller.abort(new Error('mine'))
        const end = await answer
        if (end.reason === 'aborted') {
          settled.push(performance.now() - requested)
          assert.deepEqual(end, ABORTED)
        }
        stopped.push(await nothingIsLeft(controller.signal))
      }
      // A call may be quicker than those were, and end before its abort.
      assert.ok(POINTS / 4 <= settled.length, `${settled.length} of ${POINTS} calls were still running`)
      t.diagnostic(`${SIZE}, ${whole.toFixed(0)} ms whole: settled after ${most(settled)}, stopped after ${most(stopped)}`)
      assert.deepEqual(await ask(question), expected)
    })
  }

  test('of one call leaves the others alone', async () => {
    const question = PHASES['while Sessions are narrowed']
    const expected = await ask(question)
    const stopping = {
      warm: (abortSignal) => addon.warm(root, { abortSignal }),
      recall: (abortSignal) => ask(question, abortSignal),
    }
    for (const stop of Object.values(stopping)) {
      for (let point = 0; point < POINTS; point++) {
        addon.release(root)
        const controller = new AbortController()
        const stopped = stop(controller.signal)
        const others = [ask(question), ask(question)]
        await setTimeout(5 * point)
        controller.abort()
        await stopped
        for (const answer of await Promise.all(others)) assert.deepEqual(answer, expected)
      }
    }
  })

  test(`of ${SHARING} calls that share a signal stops them all`, async (t) => {
    const question = PHASES['while messages are scored']
    const began = performance.now()
    const expected = await ask(question)
    const whole = performance.now() - began
    const controller = new AbortController()
    const calls = Array.from({ length: SHARING }, () => ask(question, controller.signal))
    assert.equal(listenersOf(controller.signal), 1)
    await setTimeout(20)
    const requested = performance.now()
    controller.abort()
    const ends = await Promise.all(calls)
    const settled = performance.now() - requested
    const stopped = await nothingIsLeft(controller.signal)
    const aborted = ends.filter(({ reason }) => reason === 'aborted')
    assert.ok(SHARING / 2 <= aborted.length, `${aborted.length} of ${SHARING} calls were still running`)
    for (const end of aborted) assert.deepEqual(end, ABORTED)
    t.diagnostic(`${SHARING} calls: settled after ${settled.toFixed(1)} ms, stopped after ${stopped.toFixed(1)} ms`)

    // They would go on for as long as sixty answers take.
    assert.ok(stopped < (whole * SHARING) / 6, `stopped after ${stopped} ms, one answer takes ${whole} ms`)
    assert.deepEqual(await ask(question), expected)
  })
})

function most(times) {
  return `${Math.max(...times).toFixed(1)} ms`
}
