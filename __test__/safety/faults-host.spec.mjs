// The host crashes, stops, or holds a lock: an answer, or a failure that says
// why, in time.

import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'

import * as addon from '../../index.js'
import { answerOf, freshAnswers } from './ask.mjs'
import { QUESTIONS, workspace } from './changes.mjs'
import { HostProcess, LiveHost } from './host.mjs'

const WINDOWS = process.platform === 'win32'
/** Twice what a statement waits for a lock, and the time of a slow machine. */
const IN_TIME_MS = 10_000

async function ask(root) {
  const answers = []
  for (const question of QUESTIONS) answers.push(await answerOf(addon, root, question))
  return answers
}

/** Gives `work` a workspace, a host of it in a process of its own, and its answers. */
async function beside(options, work) {
  const { root, remove } = await workspace()
  const host = new HostProcess(root, options)
  try {
    await host.change('checkpoint')
    await work(root, host, await ask(root))
  } finally {
    addon.release(root)
    host.kill('SIGCONT')
    await host.close()
    remove()
  }
}

/** The answer of `recall`, in time. */
async function inTime(root, terms) {
  const began = performance.now()
  const answer = await answerOf(addon, root, terms)
  assert.ok(performance.now() - began < IN_TIME_MS)
  return answer
}

describe('a host that is killed', () => {
  test('in a transaction: what it did not commit never happened', () =>
    beside({}, async (root, host, before) => {
      await host.exec(`PRAGMA cache_size = 1; BEGIN IMMEDIATE`)
      await host.exec(`UPDATE session_metadata SET payload_json = json_set(payload_json, '$.name', 'alpha, unsaid')`)
      // So much that pages go to the log before the commit.
      await host.exec(`UPDATE runtime_events SET payload_json = json_insert(payload_json, '$.x', hex(zeroblob(20000)))`)
      host.kill('SIGKILL')
      assert.equal((await host.exited).signal, WINDOWS ? null : 'SIGKILL')
      assert.deepEqual(await ask(root), before)
      assert.deepEqual(await freshAnswers(root, QUESTIONS), before)
    }))

  test('after a commit: what it committed is there', () =>
    beside({}, async (root, host, before) => {
      await host.change('appendTurn', { sessionId: 'plain', user: 'alpha, the last', assistant: 'x' })
      host.kill('SIGKILL')
      await host.exited
      addon.release(root)
      const next = await ask(root)
      assert.notDeepEqual(next, before)
      assert.deepEqual(next, await freshAnswers(root, QUESTIONS))
    }))

  test('and its -shm is lost: the log is still read', () =>
    beside({}, async (root, host, before) => {
      await host.change('appendTurn', { sessionId: 'plain', user: 'alpha, the last', assistant: 'x' })
      const [expected] = await freshAnswers(root, [['alpha']])
      host.kill('SIGKILL')
      await host.exited
      addon.release(root)
      rmSync(`${root}/runtime.sqlite-shm`)
      assert.deepEqual(await answerOf(addon, root, ['alpha']), expected)
      assert.notDeepEqual(expected, before[0])
    }))
})

describe('a host that does not move', { skip: WINDOWS && 'there are no such signals' }, () => {
  test('in a transaction keeps nobody from reading', () =>
    beside({}, async (root, host, before) => {
      await host.exec('BEGIN IMMEDIATE')
      await host.exec(`UPDATE session_metadata SET payload_json = json_set(payload_json, '$.name', 'alpha, unsaid')`)
      host.kill('SIGSTOP')
      assert.deepEqual(await ask(root), before)
      addon.release(root)
      assert.deepEqual(await ask(root), before)
      host.kill('SIGCONT')
      await host.exec('COMMIT')
      assert.deepEqual(await ask(root), await freshAnswers(root, QUESTIONS))
    }))
})

describe('a lock that keeps readers out', () => {
  const locked = { ok: false, reason: 'unavailable' }

  test('of a host without a log: the answer says so in time, and the next one is as ever', () =>
    beside({ wal: false }, async (root, host, before) => {
      await host.change('lockExclusively')
      const answer = await inTime(root, ['alpha'])
      assert.deepEqual({ ok: answer.ok, reason: answer.reason }, locked)
      assert.match(answer.message, /runtime\.sqlite: it is locked by another program/)
      await host.change('unlock')
      assert.deepEqual(await ask(root), before)
    }))

  test('that goes away in time is waited for', () =>
    beside({ wal: false }, async (root, host, before) => {
      await host.change('lockExclusively')
      const answers = ask(root)
      await setTimeout(300)
      await host.change('unlock')
      assert.deepEqual(await answers, before)
    }))

  test('an abort does not wait for it', () =>
    beside({ wal: false }, async (root, host, before) => {
      await host.change('lockExclusively')
      const controller = new AbortController()
      const deps = { workspaceRoot: root, getPrivacyContext: () => ({ incognitoActive: false }) }
      const answer = addon.recall({ terms: ['alpha'] }, deps, { abortSignal: controller.signal })
      await setTimeout(50)
      controller.abort()
      assert.equal((await answer).reason, 'aborted')
      await host.change('unlock')
      assert.deepEqual(await ask(root), before)
    }))

  test('of the facts: the rest is answered, and they are unavailable', () =>
    beside({ wal: false }, async (root, host, before) => {
      await host.change('lockFacts')
      const answer = await inTime(root, ['alpha'])
      assert.deepEqual(answer.passages, before[0].passages)
      assert.deepEqual(answer.facts, [])
      assert.equal(answer.coverage.factsStatus, 'unavailable')
      await host.change('unlockFacts')
      assert.deepEqual(await ask(root), before)
    }))

  test('of this very process counts as well', async () => {
    const { root, remove } = await workspace()
    const host = new LiveHost(root, { wal: false })
    try {
      const before = await ask(root)
      await host.change('lockExclusively')
      const answer = await inTime(root, ['alpha'])
      assert.deepEqual({ ok: answer.ok, reason: answer.reason }, locked)
      await host.change('unlock')
      assert.deepEqual(await ask(root), before)
    } finally {
      addon.release(root)
      await host.close()
      remove()
    }
  })
})
