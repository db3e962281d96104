// Worker threads of the host: each may end before its calls do.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'

import { recall } from '../index.js'
import { copyOf } from './golden.mjs'

const ADDON = new URL('../index.js', import.meta.url).href

let copy
before(() => (copy = copyOf('edge2-openings')))
after(() => copy.remove())

/** A worker that runs `script`; what it posts, and its exit code. */
function start(script) {
  const source = `import(${JSON.stringify(ADDON)}).then(async (addon) => {
    const { parentPort } = require('node:worker_threads')
    const allowed = { getPrivacyContext: () => ({ incognitoActive: false }) }
    const workspace = { ...allowed, workspaceRoot: ${JSON.stringify(copy.root)} }
    const never = () => new Promise(() => {})
    ${script}
  })`
  const worker = new Worker(source, { eval: true })
  const message = new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  const exit = new Promise((resolve) => worker.once('exit', resolve))
  return { worker, message, exit }
}

describe('a worker that is terminated', () => {
  const scripts = {
    'while a workspace is read': `addon.recall({ terms: ['e', 'a'] }, workspace, { fullScan: true, abortSignal: new AbortController().signal })
      parentPort.postMessage('started')
      setInterval(() => {}, 1000)`,
    'while a callback is pending': `addon.recall({ terms: ['x'] }, {
        ...allowed, readMessages: never,
        listSessions: () => { parentPort.postMessage('started'); return never() },
      }, { abortSignal: new AbortController().signal })`,
    'while a transcript is handed over': `const text = 'hay '.repeat(1000)
      const messages = Array.from({ length: 50_000 }, (_, ts) => ({ type: 'user', id: 'm' + ts, ts, text }))
      addon.recall({ terms: ['x'] }, {
        ...allowed, listSessions: () => [{ id: 's', name: 'S' }],
        readMessages: () => { setImmediate(() => parentPort.postMessage('started')); return messages },
      })`,
    'while a callback does not return': `addon.recall({ terms: ['x'] }, {
        ...allowed, readMessages: never,
        listSessions: () => { parentPort.postMessage('started'); for (;;); },
      })`,
  }
  for (const [name, script] of Object.entries(scripts)) {
    test(name, async () => {
      for (let round = 0; round < 5; round++) {
        const { worker, message } = start(script)
        assert.equal(await message, 'started')
        assert.equal(await worker.terminate(), 1)
      }
    })
  }
})

describe('a worker that ends by itself', () => {
  test('waits for its call', async () => {
    const { message, exit } = start(
      `addon.recall({ terms: ['zzzznotfound'] }, workspace).then(({ ok }) => parentPort.postMessage(ok))`,
    )
    assert.equal(await message, true)
    assert.equal(await exit, 0)
  })
  test('does not wait for a callback that nothing settles', async () => {
    const { message, exit } = start(
      `addon.recall({ terms: ['x'] }, {
        ...allowed, readMessages: never,
        listSessions: () => { parentPort.postMessage('asked'); return never() },
      })`,
    )
    assert.equal(await message, 'asked')
    assert.equal(await exit, 0)
  })
  test('may exit in a callback', async () => {
    const { exit } = start(`addon.recall({ terms: ['x'] }, {
      ...allowed, readMessages: never, listSessions: () => process.exit(7),
    })`)
    assert.equal(await exit, 7)
  })
})

test('workers and the main thread answer alike', async () => {
  const request = { terms: ['e'] }
  const script = `parentPort.postMessage(await addon.recall(${JSON.stringify(request)}, workspace))`
  const workers = Array.from({ length: 4 }, () => start(script))
  const deps = { getPrivacyContext: () => ({ incognitoActive: false }), workspaceRoot: copy.root }
  const expected = await recall(request, deps)
  assert.equal(expected.ok, true)
  for (const { message, exit } of workers) {
    assert.deepEqual(await message, expected)
    assert.equal(await exit, 0)
  }
})
