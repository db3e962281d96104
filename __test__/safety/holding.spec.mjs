// While the host is asked something, nothing of its workspace is held: it may
// ask us again, write, and cut its log. What is kept between answers is given
// up when the host says so, and by itself before the host's patience ends.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'

import * as addon from '../../index.js'
import { answerOf } from './ask.mjs'
import { workspace } from './changes.mjs'
import { HostProcess, LiveHost } from './host.mjs'

/** An answer that takes longer hangs. */
const HANGS_MS = 10_000
/** How long the host waits for a lock. */
const HOST_WAITS_MS = 5_000

const allowed = { getPrivacyContext: () => ({ incognitoActive: false }) }

/** Gives `work` a workspace and its host. */
async function beside(work) {
  const { root, remove } = await workspace()
  const host = new LiveHost(root)
  try {
    await work(root, host)
  } finally {
    addon.release(root)
    await host.close().catch(() => {})
    remove()
  }
}

/** The answer, or `hangs`. */
function inTime(answer) {
  const settled = new AbortController()
  const late = setTimeout(HANGS_MS, 'hangs', { signal: settled.signal }).catch(() => {})
  return Promise.race([answer, late]).finally(() => settled.abort())
}

describe('a callback of the host', () => {
  for (const asked of ['getPrivacyContext', 'fetchMaterial']) {
    test(`${asked} may recall from the same workspace`, () =>
      beside(async (workspaceRoot) => {
        const inner = []
        const controller = new AbortController()
        const callback = async () => {
          inner.push(await inTime(answerOf(addon, workspaceRoot, ['alpha'])))
          return { incognitoActive: false, ok: false, reason: 'not_found', message: 'No.' }
        }
        const deps = { ...allowed, workspaceRoot, [asked]: callback }
        const options = { activeSessionId: 'live', abortSignal: controller.signal }
        const answer = await inTime(addon.recallMaterial({ id: 'plain/art_notes' }, deps, options))
        controller.abort()
        assert.notEqual(answer, 'hangs')
        assert.equal(inner.length, 1)
        assert.equal(inner[0].ok, true)
      }))

    test(`${asked} that never settles holds neither the log nor other calls`, () =>
      beside(async (workspaceRoot, host) => {
        const controller = new AbortController()
        let called
        const pending = new Promise((resolve) => (called = resolve))
        const deps = { ...allowed, workspaceRoot, [asked]: () => (called(), new Promise(() => {})) }
        const options = { activeSessionId: 'live', abortSignal: controller.signal }
        const answer = addon.recallMaterial({ id: 'plain/art_notes' }, deps, options)
        await pending
        await host.change('rename', { sessionId: 'plain', name: 'alpha meanwhile' })
        const { busy } = await host.change('checkpoint')
        const other = await inTime(answerOf(addon, workspaceRoot, ['alpha']))
        controller.abort()
        assert.equal((await inTime(answer)).reason, 'aborted')
        assert.equal(busy, 0)
        assert.equal(other.ok, true)
      }))
  }
})

describe('a connection that is kept', () => {
  test('is let go by release: the log goes with the host', () =>
    beside(async (root, host) => {
      assert.equal((await answerOf(addon, root, ['alpha'])).ok, true)
      addon.release(root)
      // A read in the background may have to come to its end.
      await setTimeout(100)
      await host.close()
      assert.equal(existsSync(`${root}/runtime.sqlite-wal`), false)
      assert.equal(existsSync(`${root}/runtime.sqlite-shm`), false)
    }))

  test('may be released in the middle of answers: they are as ever', () =>
    beside(async (root) => {
      const expected = await answerOf(addon, root, ['alpha'])
      for (let round = 0; round < 60; round++) {
        const answers = Array.from({ length: 4 }, () => answerOf(addon, root, ['alpha']))
        const warming = addon.warm(root)
        await setTimeout(round % 4)
        addon.release(round % 2 === 0 ? root : undefined)
        for (const answer of await Promise.all(answers)) assert.deepEqual(answer, expected)
        const { ok, reason } = await warming
        assert.ok(ok !== false || reason === 'unavailable', reason)
      }
    }))

  test('follows the folder that a relative path names', () =>
    beside((there) =>
      beside(async (here, host) => {
        const before = process.cwd()
        try {
          await host.change('rename', { sessionId: 'plain', name: 'alpha here' })
          process.chdir(dirname(here))
          const expected = await answerOf(addon, basename(here), ['alpha'])
          process.chdir(there)
          assert.notDeepEqual(await answerOf(addon, '.', ['alpha']), expected)
          process.chdir(here)
          assert.deepEqual(await answerOf(addon, '.', ['alpha']), expected)
        } finally {
          process.chdir(before)
        }
      }),
    ))
})

describe('it is let go before a host that starts gives up', { concurrency: true }, () => {
  const uses = {
    'an answer': (root) => answerOf(addon, root, ['alpha']),
    'a refusal': (root) => answerOf(addon, root, { operation: 'recallMore', request: { anchor: 'none/none' } }),
    'reading ahead': (root) => addon.warm(root),
  }
  for (const generation of ['openings', 'headers']) {
    for (const [name, use] of Object.entries(uses)) {
      test(`${generation}: after ${name}`, async () => {
        const { root, remove } = await workspace(generation)
        await use(root)
        // Whoever leaves the WAL mode, or enters it, has to be alone.
        const other = new HostProcess(root, { generation })
        const began = performance.now()
        const alone = () => other.all('PRAGMA journal_mode = DELETE').then(() => true, () => false)
        while (!(await alone())) {
          assert.ok(performance.now() - began < HOST_WAITS_MS, 'the host gives up')
          await setTimeout(50)
        }
        await other.close()
        remove()
      })
    }
  }
})
