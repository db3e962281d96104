// An abort is an answer, comes at once, and leaves nothing behind.

import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { after, before, describe, test } from 'node:test'

import * as addon from '../index.js'
import { copyOf } from './golden.mjs'

const allowed = { getPrivacyContext: () => ({ incognitoActive: false }) }
const aborted = { ok: false, reason: 'aborted', message: 'Recall was aborted.' }
const never = () => new Promise(() => {})
const listeners = (signal) => getEventListeners(signal, 'abort').length

const OPERATIONS = {
  recall: { terms: ['x'] }, runRecall: { terms: ['x'] },
  recallMore: { anchor: 's/m' }, expandRecallPassage: { anchor: 's/m' },
  recallMaterial: { id: 's/a' }, fetchRecallMaterial: { id: 's/a' },
  searchThreads: { source: 'thread', query: 'x' }, runThreadSearch: { source: 'thread', query: 'x' },
}

let copy
before(() => (copy = copyOf('tiny-openings')))
after(() => copy.remove())
const workspace = () => ({ ...allowed, workspaceRoot: copy.root })

describe('a signal that has fired', () => {
  for (const [name, request] of Object.entries(OPERATIONS)) {
    test(`${name}: comes before everything else`, async () => {
      let asked = 0
      const deps = { getPrivacyContext: () => asked++ }
      const abortSignal = AbortSignal.abort(new Error('mine'))
      const options = { abortSignal, activeSessionId: 's' }
      assert.deepEqual(await addon[name](request, workspace(), options), aborted)
      assert.deepEqual(await addon[name](null, deps, options), aborted)
      assert.equal(asked, 0)
      assert.equal(listeners(abortSignal), 0)
    })
  }
  test('its reason does not matter', async () => {
    for (const reason of ['text', undefined, null, new TypeError('mine'), { plain: true }, 5n]) {
      const options = { abortSignal: AbortSignal.abort(reason) }
      assert.deepEqual(await addon.recall({ terms: ['x'] }, workspace(), options), aborted)
    }
  })
})

describe('a signal that fires while a callback never settles', () => {
  const source = {
    ...allowed,
    listSessions: () => [{ id: 's', name: 'S' }],
    readMessages: () => [{ type: 'user', id: 'm', ts: 1, text: 'x' }],
    listCandidateSessions: () => null,
    countSearchableMessages: () => 1,
    searchFacts: () => [],
  }
  for (const name of Object.keys(source)) {
    test(name, async () => {
      const controller = new AbortController()
      let asked
      const called = new Promise((resolve) => (asked = resolve))
      const deps = {
        ...source,
        [name]: () => {
          asked()
          return never()
        },
      }
      const answer = addon.recall({ terms: ['x'] }, deps, { abortSignal: controller.signal })
      await Promise.race([called, answer])
      controller.abort()
      assert.deepEqual(await answer, aborted)
      assert.equal(listeners(controller.signal), 0)
    })
  }
  test('a timeout ends the wait, though nothing else holds the event loop', async () => {
    const deps = { ...source, listSessions: never }
    const options = { abortSignal: AbortSignal.timeout(20) }
    assert.deepEqual(await addon.recall({ terms: ['x'] }, deps, options), aborted)
  })
  test('the callback gets the very signal', async () => {
    const { signal } = new AbortController()
    const seen = []
    const deps = {
      ...source,
      listCandidateSessions: ({ abortSignal }) => (seen.push(abortSignal), null),
      readMessages: (sessionId, abortSignal) => (seen.push(abortSignal), []),
    }
    await addon.recall({ terms: ['x'] }, deps, { abortSignal: signal })
    assert.deepEqual(seen.map((one) => one === signal), [true, true])
  })
  test('what the callback answers afterwards is dropped', async () => {
    const controller = new AbortController()
    let late
    const deps = { ...source, listSessions: () => new Promise((resolve) => (late = resolve)) }
    const answer = addon.recall({ terms: ['x'] }, deps, { abortSignal: controller.signal })
    while (late === undefined) await new Promise(setImmediate)
    controller.abort()
    assert.deepEqual(await answer, aborted)
    late([{ id: 's', name: 'S' }])
    await new Promise(setImmediate)
    assert.equal(listeners(controller.signal), 0)
  })
})

describe('a signal that fires while a question waits for the event loop', () => {
  test('the host is not asked after its call has settled', async () => {
    let asked = 0
    const controller = new AbortController()
    const deps = { getPrivacyContext: () => (asked++, { incognitoActive: false }), workspaceRoot: copy.root }
    const answer = addon.recall({ terms: ['x'] }, deps, { abortSignal: controller.signal })
    // The native side asks at once; the loop does not turn meanwhile.
    const begun = performance.now()
    while (performance.now() - begun < 100);
    controller.abort()
    assert.deepEqual(await answer, aborted)
    await new Promise(setImmediate)
    assert.equal(asked, 0)
  })
})

describe('one signal', () => {
  const warnings = []
  const note = (warning) => warnings.push(warning.name)
  before(() => process.on('warning', note))
  after(() => process.off('warning', note))

  test('serves sixty calls with one listener, and none after them', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const calls = Array.from({ length: 60 }, () =>
      addon.recall({ terms: ['x'] }, { ...allowed, listSessions: never, readMessages: never }, { abortSignal: signal }),
    )
    assert.equal(listeners(signal), 1)
    controller.abort('all of you')
    assert.deepEqual(await Promise.all(calls), Array(60).fill(aborted))
    assert.equal(listeners(signal), 0)
  })
  test('is let go by every call that ends', async () => {
    const { signal } = new AbortController()
    signal.onabort = () => {}
    const { onabort } = signal
    const before = listeners(signal)
    const calls = Object.entries(OPERATIONS).map(([name, request]) =>
      addon[name](request, workspace(), { abortSignal: signal, activeSessionId: 's' }),
    )
    for (const answer of await Promise.all(calls)) assert.notEqual(answer.reason, 'aborted')
    await addon.recall({ terms: ['x'] }, {}, { abortSignal: signal }).catch(() => {})
    assert.equal(listeners(signal), before)
    assert.equal(signal.onabort, onabort)
  })
  test('warned of nothing', async () => {
    await new Promise(setImmediate)
    assert.deepEqual(warnings.filter((name) => name === 'MaxListenersExceededWarning'), [])
  })
})

describe('what is no signal is no signal', () => {
  const thrower = () => {
    throw new Error('mine')
  }
  const half = { aborted: false, addEventListener: () => {} }
  const throwing = { aborted: false, addEventListener: thrower, removeEventListener: thrower }
  const shapes = {
    null: null, text: 'x', object: {}, half, throwing,
    'a getter that throws': { get aborted() { return thrower() } },
    proxy: new Proxy({}, { get: thrower }),
  }
  for (const [name, abortSignal] of Object.entries(shapes)) {
    test(name, async () => {
      const answer = await addon.recall({ terms: ['zzzznotfound'] }, workspace(), { abortSignal })
      assert.equal(answer.ok, true)
    })
  }
  test('an event target of another kind will do', async () => {
    const target = Object.assign(new EventTarget(), { aborted: false })
    const deps = { ...allowed, listSessions: never, readMessages: never }
    const answer = addon.recall({ terms: ['x'] }, deps, { abortSignal: target })
    await new Promise(setImmediate)
    target.dispatchEvent(new Event('abort'))
    assert.deepEqual(await answer, aborted)
  })
})
