// While the host is asked something, nothing of its workspace is held: it may
// ask us again, write, and cut its log. What is kept between answers is given
// up when the host says so, and by itself before the host's patience ends.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { dirname, basename } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'

import * as addon from '../../index.js'
import { answerOf } from './ask.mjs'
import { workspace } from './changes.mjs'
import { HostProcess, LiveHost } from './host.mjs'

/** An answer that takes longer hangs. */
const HANGS_MS = 10_000
/** How long the host waits for a lock. */
const HOST_WAITS_MS = 5_000

let place
let host
beforeEach(async () => {
  place = await workspace()
  host = new LiveHost(place.root)
})
afterEach(async () => {
  addon.release(place.root)
  await host.close().catch(() => {})
  place.remove()
})

const allowed = { getPrivacyContext: () => ({ incognitoActive: false }) }

/** The answer, or `hangs`. */
function inTime(answer) {
  const hangs = new AbortController()
  const late = setTimeout(HANGS_MS, 'hangs', { signal: hangs.signal }).catch(() => {})
  return Promise.race([answer, late]).finally(() => hangs.abort())
}

describe('a callback of the host', () => {
  for (const asked of ['getPrivacyContext', 'fetchMaterial']) {
    test(`${asked} may recall from the same workspace`, async () => {
      const inner = []
      const deps = {
        ...allowed,
        workspaceRoot: place.root,
        [asked]: async () => {
          inner.push(await inTime(answerOf(addon, place.root, ['alpha'])))
          return { incognitoActive: false, ok: false, reason: 'not_found', message: 'No.' }
        },
      }
      const answer = await inTime(addon.recallMaterial({ id: 'plain/art_notes' }, deps, { activeSessionId: 'live' }))
      assert.notEqual(answer, 'hangs')
      assert.equal(inner.length, 1)
      assert.equal(inner[0].ok, true)
    })

    test(`${asked} that never settles holds neither the log nor other calls`, async () => {
      const controller = new AbortController()
      let called
      const pending = new Promise((resolve) => (called = resolve))
      const deps = { ...allowed, workspaceRoot: place.root, [asked]: () => (called(), new Promise(() => {})) }
      const options = { activeSessionId: 'live', abortSignal: controller.signal }
      const answer = addon.recallMaterial({ id: 'plain/art_notes' }, deps, options)
      await pending
      await host.change('rename', { sessionId: 'plain', name: 'alpha meanwhile' })
      assert.equal((await host.change('checkpoint')).busy, 0)
      assert.equal((await inTime(answerOf(addon, place.root, ['alpha']))).ok, true)
      controller.abort()
      assert.equal((await inTime(answer)).reason, 'aborted')
    })
  }
})

describe('what is kept', () => {
  test('is let go by release: the log goes with the host', async () => {
    assert.equal((await answerOf(addon, place.root, ['alpha'])).ok, true)
    addon.release(place.root)
    await host.close()
    assert.equal(existsSync(`${place.root}/runtime.sqlite-wal`), false)
    assert.equal(existsSync(`${place.root}/runtime.sqlite-shm`), false)
  })

  const uses = {
    'an answer': (root) => answerOf(addon, root, ['alpha']),
    'a refusal': (root) => answerOf(addon, root, { operation: 'recallMore', request: { anchor: 'none/none' } }),
    'reading ahead': (root) => addon.warm(root),
  }
  for (const generation of ['openings', 'headers']) {
    for (const [name, use] of Object.entries(uses)) {
      test(`${generation}: is let go after ${name}, before a host that starts gives up`, async () => {
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

  test('follows the folder that a relative path names', async () => {
    const elsewhere = await workspace()
    const before = process.cwd()
    try {
      process.chdir(dirname(place.root))
      await host.change('rename', { sessionId: 'plain', name: 'alpha there' })
      const name = basename(place.root)
      const there = await answerOf(addon, name, ['alpha'])
      process.chdir(elsewhere.root)
      assert.equal((await answerOf(addon, '.', ['alpha'])).ok, true)
      process.chdir(place.root)
      assert.deepEqual(await answerOf(addon, '.', ['alpha']), there)
    } finally {
      process.chdir(before)
      addon.release()
      elsewhere.remove()
    }
  })
})
