// The host's callbacks, well behaved and hostile.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import * as addon from '../index.js'
import { copyOf } from './golden.mjs'

const thrower = () => {
  throw new Error('mine')
}
const user = (id, text, more) => ({ type: 'user', id, turnId: `t-${id}`, ts: 1_700_000_000_000, text, ...more })
const session = (id, more) => ({ id, name: `Session ${id}`, lastMessageAt: 1_700_000_000_000, ...more })

/** A host of two Sessions, `a` and `b`, each with the needle. */
const host = (more) => ({
  getPrivacyContext: () => ({ incognitoActive: false }),
  listSessions: () => [session('a'), session('b')],
  readMessages: (sessionId) => [user(`${sessionId}1`, `the needle of ${sessionId}`)],
  ...more,
})
const recall = (deps, options, request) => addon.recall({ terms: ['needle'], ...request }, deps, options)
const anchors = (answer) => answer.passages.map(({ anchor }) => anchor).sort()

describe('a well behaved host', () => {
  test('answers at once, or later', async () => {
    assert.deepEqual(anchors(await recall(host())), ['a/a1', 'b/b1'])
    const later = Object.fromEntries(
      Object.entries(host()).map(([name, callback]) => [
        name,
        async (...args) => {
          await new Promise(setImmediate)
          return callback(...args)
        },
      ]),
    )
    assert.deepEqual(anchors(await recall(later)), ['a/a1', 'b/b1'])
  })
  test('is called as its own method', async () => {
    class Host {
      sessions = [session('a')]
      getPrivacyContext() {
        return { incognitoActive: this.sessions.length !== 1 }
      }
      listSessions() {
        return this.sessions
      }
      readMessages(sessionId) {
        return this.sessions.map(() => user('a1', `the needle of ${sessionId}`))
      }
    }
    assert.deepEqual(anchors(await recall(new Host())), ['a/a1'])
  })
  test('gets what it is promised', async () => {
    const asked = {}
    const deps = host({
      listCandidateSessions: (question) => ((asked.candidates = question), null),
      countSearchableMessages: (question) => ((asked.count = question), 2),
      searchFacts: (question) => ((asked.facts = question), []),
    })
    await recall(deps, { activeSessionId: 'b' }, { terms: ['NEEDLE', 'É'] })
    assert.deepEqual(new Set(asked.candidates.sessionIds), new Set(['a', 'b']))
    assert.deepEqual(asked.candidates.terms, ['needle', 'é'])
    assert.equal('abortSignal' in asked.candidates, false)
    assert.deepEqual(new Set(asked.count.sessionIds), new Set(['a', 'b']))
    assert.deepEqual(asked.facts, { sessionId: 'b', terms: ['NEEDLE', 'É'], limit: 10 })
  })
  test('is not asked for what is not needed', async () => {
    const asked = []
    const deps = host({
      listCandidateSessions: () => ['b', 'b', 'elsewhere'],
      countSearchableMessages: () => 2,
      readMessages: (sessionId) => (asked.push(sessionId), host().readMessages(sessionId)),
    })
    assert.deepEqual(anchors(await recall(deps)), ['b/b1'])
    assert.deepEqual(asked, ['b'])
  })
  test('is never asked twice at a time', async () => {
    let open = 0
    let most = 0
    const slow = (callback) => async (...args) => {
      most = Math.max(most, ++open)
      await new Promise(setImmediate)
      open--
      return callback(...args)
    }
    const sessions = Array.from({ length: 20 }, (_, index) => session(`s${index}`))
    const deps = host({ listSessions: slow(() => sessions), readMessages: slow((id) => [user('m', `needle ${id}`)]) })
    assert.equal((await recall(deps)).ok, true)
    assert.equal(most, 1)
  })
})

describe('listSessions', () => {
  test('a Session without an id vanished: it is counted and named by its place', async () => {
    for (const id of [undefined, null, 7]) {
      const sessions = [session('a'), session(id), session('b')]
      const { passages, coverage, gaps } = await recall(host({ listSessions: () => sessions }))
      assert.deepEqual(anchors({ passages }), ['a/a1', 'b/b1'])
      assert.deepEqual(coverage.sessionsUnreadable, ['listSessions[1]'])
      assert.deepEqual([coverage.sessionsEligible, coverage.sessionsSearched], [2, 2])
      assert.match(gaps, /1 Session\(s\) could not be read\./)
    }
  })
})

describe('readMessages', () => {
  const wrong = {
    'throws': thrower,
    'rejects': async () => thrower(),
    'rejects with nothing': () => Promise.reject(),
    'answers null': () => null,
    'answers a text': () => 'x',
    'answers an object': () => ({}),
    'answers holes': () => new Array(3),
    'answers a list without end': () => new Array(2 ** 32 - 1),
    'answers no messages': () => [5, 'x', null],
    'answers a list in a list': () => [[]],
    'answers a message that has no JSON': () => [user('m', 'needle', { big: 5n })],
    'answers a cycle': () => {
      const message = user('m', 'needle')
      return [Object.assign(message, { message })]
    },
    'answers a message that throws': () => [{ ...user('m', 'x'), get content() { return thrower() } }],
    'answers a message that turns into a text': () => [{ ...user('m', 'needle'), toJSON: () => 'x' }],
    'answers a proxy that throws': () => new Proxy([], { get: thrower }),
    'answers a thenable that throws': () => ({ get then() { return thrower() } }),
    'answers nesting beyond any stack': () => {
      let content = []
      for (let depth = 0; depth < 1_000_000; depth++) content = [content]
      return [user('m', 'needle', { content })]
    },
  }
  for (const [name, readMessages] of Object.entries(wrong)) {
    test(`${name}: that Session is unreadable, the others are searched`, async () => {
      const deps = host({ readMessages: (id) => (id === 'a' ? readMessages() : host().readMessages(id)) })
      const answer = await recall(deps)
      assert.deepEqual(anchors(answer), ['b/b1'])
      assert.deepEqual(answer.coverage.sessionsUnreadable, ['a'])
      assert.equal(answer.coverage.sessionsSearched, 1)
    })
  }
})

describe('the other callbacks', () => {
  const wrongLists = {
    throws: thrower, rejects: async () => thrower(), text: () => 'x', number: () => 5, object: () => ({}),
    'a list of the wrong things': () => [5n, undefined],
  }
  test('candidates that fail mean a full scan', async () => {
    const countSearchableMessages = () => 2
    const expected = await recall(host({ countSearchableMessages }))
    for (const listCandidateSessions of [...Object.values(wrongLists), () => null, () => undefined]) {
      const answer = await recall(host({ countSearchableMessages, listCandidateSessions }))
      assert.deepEqual(answer, expected)
      assert.equal(answer.scannedFully, true)
    }
  })
  test('a count that fails is made without it', async () => {
    const expected = await recall(host())
    const wrong = [thrower, async () => thrower(), () => 'x', () => NaN, () => -1, () => Infinity, () => 5n, () => null]
    for (const countSearchableMessages of wrong) {
      assert.deepEqual(await recall(host({ countSearchableMessages })), expected)
    }
    const counted = await recall(host({ countSearchableMessages: () => 40 }))
    assert.equal(counted.coverage.corpusMessages, 40)
  })
  test('facts that fail are unavailable', async () => {
    for (const searchFacts of Object.values(wrongLists)) {
      const answer = await recall(host({ searchFacts }))
      assert.equal(answer.coverage.factsStatus, 'unavailable')
      assert.deepEqual(anchors(answer), ['a/a1', 'b/b1'])
    }
    assert.equal((await recall(host())).coverage.factsStatus, 'none')
  })
  test('without the Sessions there is no answer', async () => {
    for (const listSessions of Object.values(wrongLists)) {
      const answer = await recall(host({ listSessions }))
      assert.equal(answer.ok, false)
      assert.equal(answer.reason, 'unavailable')
    }
  })
  test('a material that fails is not found', async () => {
    const file = { kind: 'session_file', sessionId: 'a', relativePath: 'art_1' }
    const attachments = [{ kind: 'image', name: 'a.png', mimeType: 'image/png', bytes: 10, ref: file }]
    const carrier = host({ readMessages: () => [user('m', 'x', { attachments })] })
    const fetch = (fetchMaterial) =>
      addon.recallMaterial({ id: 'a/art_1' }, { ...carrier, fetchMaterial }, { activeSessionId: 'b' })
    const asked = []
    const content = { kind: 'text', text: 'body' }
    const answer = await fetch((question) => (asked.push(question), { ok: true, content }))
    assert.deepEqual(answer, { ok: true, content })
    assert.deepEqual(asked, [{ sourceSessionId: 'a', materialId: 'art_1', targetSessionId: 'b' }])
    for (const wrong of [thrower, async () => thrower(), () => null, () => 'x', () => [], () => ({})]) {
      const answer = await fetch(wrong)
      assert.equal(answer.ok, false)
      assert.equal(answer.reason, 'not_found')
    }
  })
})

describe('a hostile host', () => {
  test('changes what it returned', async () => {
    const messages = Array.from({ length: 5000 }, (_, index) => user(`m${index}`, 'hay '.repeat(500)))
    messages.push(user('last', 'the needle'))
    const sessions = [session('a')]
    const deps = host({
      listSessions: () => sessions,
      readMessages: () => {
        setImmediate(() => (messages.length = 0))
        return messages
      },
    })
    const answer = recall(deps)
    sessions.length = 0
    sessions.push(5n)
    const { ok, reason } = await answer
    assert.deepEqual({ ok, reason }, { ok: false, reason: 'unavailable' })

    sessions.splice(0, 1, session('a'))
    assert.deepEqual(anchors(await recall(deps)), ['a/last'])
    assert.deepEqual(messages, [])
  })
  test('adds to its list for ever', async () => {
    const messages = [user('m', 'the needle')]
    const growing = new Proxy(messages, {
      get(list, key) {
        if (key === '0') list.push(user('more', 'needle'))
        return list[key]
      },
    })
    const deps = host({ listSessions: () => [session('a')], readMessages: () => growing })
    assert.deepEqual(anchors(await recall(deps)), ['a/m'])
  })
  test('returns 100 MB', async () => {
    const text = `${'hay '.repeat(25_000_000)}needle`
    const deps = host({ readMessages: (id) => [user(`${id}1`, id === 'a' ? text : 'needle')] })
    const answer = await recall(deps)
    assert.deepEqual(anchors(answer), ['a/a1', 'b/b1'])
    const found = answer.passages.find(({ sessionId }) => sessionId === 'a')
    assert.equal(found.truncated, true)
    const big = host({ getPrivacyContext: () => ({ incognitoActive: false, text }) })
    assert.deepEqual(anchors(await recall(big)), ['a/a1', 'b/b1'])
  })
  test('asks again from within', async () => {
    let depth = 0
    const inner = []
    const deps = host({
      async readMessages(sessionId) {
        if (depth++ < 5) inner.push(anchors(await recall(deps)))
        return host().readMessages(sessionId)
      },
    })
    assert.deepEqual(anchors(await recall(deps)), ['a/a1', 'b/b1'])
    assert.deepEqual(inner, Array(5).fill(['a/a1', 'b/b1']))
  })
  test('fails with an error of any kind', async () => {
    for (const error of [undefined, null, 5n, Symbol('x'), new Proxy({}, { get: thrower })]) {
      const answer = await recall(host({ searchFacts: () => Promise.reject(error) }))
      assert.equal(answer.coverage.factsStatus, 'unavailable')
    }
  })
})

describe('synthetic text', () => {
  const captions = [user('m1', 'Inspected 12 files\nthe needle', {}), user('m2', 'Inspected 3 needles')]
  const deps = (syntheticTextPatterns) =>
    host({ listSessions: () => [session('a')], readMessages: () => captions, syntheticTextPatterns })

  test('is not searched, and shown', async () => {
    const answer = await recall(deps([/^Inspected \d+ \w+$/gm]))
    assert.deepEqual(anchors(answer), ['a/m1'])
    assert.equal(answer.passages[0].messages[0].text, captions[0].text)
    assert.deepEqual(anchors(await recall(deps([/Inspected \d+ \w+/]))), ['a/m1'])
    assert.deepEqual(anchors(await recall(deps([]))), ['a/m1', 'a/m2'])
  })
  test('is removed from content, not from its kind', async () => {
    const content = { kind: 'text', text: 'Inspected 12 needles', list: [{ deep: 'Inspected 12 files' }] }
    const result = { ...user('m1'), type: 'tool_result', toolUseId: 'c', isError: false, content }
    const one = (pattern) =>
      recall({ ...deps([pattern]), readMessages: () => [result] }, {}, { terms: ['needles', 'files', 'text'] })
    assert.deepEqual((await one(/^Inspected \d+ files$/g)).passages[0].matchedTerms, ['needles'])
    assert.deepEqual((await one(/^Inspected \d+ needles$/g)).passages[0].matchedTerms, ['files'])
    assert.deepEqual((await one(/text/g)).passages[0].matchedTerms, ['needles', 'files'])
  })
  test("leaves the host's patterns as they are", async () => {
    const pattern = /Inspected \d+ \w+/g
    pattern.lastIndex = 7
    await recall(deps([pattern]))
    assert.equal(pattern.lastIndex, 7)
  })
  test('patterns of the wrong type are none', async () => {
    for (const patterns of [5, 'Inspected', [5, 'Inspected', null], [{ source: 'Inspected', flags: 'g' }]]) {
      assert.deepEqual(anchors(await recall(deps(patterns))), ['a/m1', 'a/m2'])
    }
  })
})

describe('the event loop', () => {
  test('turns while a transcript is handed over', async () => {
    const messages = Array.from({ length: 20_000 }, (_, index) => user(`m${index}`, `模型 hay ${'x'.repeat(2000)}`))
    let turns = 0
    let open = true
    const count = () => {
      turns++
      if (open) setImmediate(count)
    }
    const deps = host({
      listSessions: () => [session('a')],
      readMessages: () => {
        setImmediate(count)
        return messages
      },
    })
    assert.deepEqual(anchors(await recall(deps)), [])
    open = false
    // 42 MB: no machine hands that over in one slice.
    assert.ok(3 <= turns, `${turns} turns`)
  })
})

describe('beside a workspace', () => {
  let copy
  before(() => (copy = copyOf('tiny-openings')))
  after(() => copy.remove())

  test('the readers are not asked while it can be read', async () => {
    const asked = []
    const deps = Object.fromEntries(
      ['listSessions', 'readMessages', 'listCandidateSessions', 'countSearchableMessages', 'searchFacts'].map(
        (name) => [name, () => (asked.push(name), [])],
      ),
    )
    const answer = await recall({ ...host(deps), workspaceRoot: copy.root })
    assert.equal(answer.ok, true)
    assert.deepEqual(asked, [])
  })
  test('nobody could see that they answered in its place, and why', async () => {
    const workspaceRoot = join(copy.root, 'nowhere')
    const { message } = await addon.recall({ terms: ['needle'] }, { ...host({ listSessions: null }), workspaceRoot })
    const { fallbacks, lastFallback } = addon.stats()
    assert.deepEqual([fallbacks, lastFallback], [0, undefined])
    for (const count of [1, 2]) {
      assert.deepEqual(anchors(await recall({ ...host(), workspaceRoot })), ['a/a1', 'b/b1'])
      const stats = addon.stats()
      assert.deepEqual([stats.fallbacks, stats.lastFallback], [count, message])
    }
    await recall(host())
    await recall({ ...host(), workspaceRoot: copy.root })
    assert.equal(addon.stats().fallbacks, 2)
  })
})
