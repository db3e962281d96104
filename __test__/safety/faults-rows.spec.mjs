// Rows that no host writes, in one Session: that Session cannot be shown, or is
// shown without them, and the others are answered as ever.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import * as addon from '../../index.js'
import { answerOf, freshAnswers } from './ask.mjs'
import { workspace } from './changes.mjs'
import { LiveHost } from './host.mjs'

const ALL = { request: { terms: ['alpha'], limit: 25 }, options: { includeArchived: true } }
const DEEP = 10_000
const LARGE_BYTES = 64 * 1024 * 1024

/** Where a value of a test stands. */
const EVENT = "UPDATE runtime_events SET payload_json = VALUE WHERE event_id = 'base-e-12'"
const HEADER = "UPDATE session_metadata SET payload_json = VALUE WHERE session_id = 'plain'"
const OLD = "UPDATE session_messages SET record_json = VALUE WHERE message_id = 'old-question'"
const PARTIAL = 'UPDATE runtime_partial_segments SET text_content = VALUE'
const STREAM = 'UPDATE runtime_partial_snapshots SET payload_json = VALUE'
const ARTIFACT = 'UPDATE artifact_records SET record_json = VALUE'

const deep = (open, close) => `'{"alpha":${open.repeat(DEEP)}${close.repeat(DEEP)}}'`
const VALUES = {
  'no JSON': `'alpha, just said'`,
  'half a JSON': `'{"alpha":'`,
  'JSON of another kind': `'["alpha"]'`,
  nothing: `''`,
  'bytes that are no UTF-8': `CAST(x'7b2261ff6c706861223a22fe80c0af227d' AS TEXT)`,
  'a blob': `x'00ff00ff'`,
  'a number': `17`,
  'a NUL in the text': `'{"alpha":' || char(0) || '1}'`,
  'arrays, ten thousand deep': deep('[', ']'),
  'objects, ten thousand deep': deep('{"a":', '}').replace('{"a":}', '{"a":1}'),
  'a key, ten thousand times': `'{"alpha":1${',"id":"x"'.repeat(DEEP)}}'`,
  'a very large number': `'{"alpha":1e999,"ts":1e999,"id":"base-e-12"}'`,
}

/** Gives `work` a workspace and a host that is in this process. */
async function beside(work) {
  const { root, remove } = await workspace()
  const host = new LiveHost(root)
  try {
    return await work(root, host)
  } finally {
    addon.release(root)
    await host.close()
    remove()
  }
}

/** The passages of the answer that are not of `sessionId`, without their ranking. */
function others(answer, sessionId) {
  return answer.passages
    .filter((passage) => passage.sessionId !== sessionId)
    .map(({ score, ...passage }) => passage)
    .sort((left, right) => (left.anchor < right.anchor ? -1 : 1))
}

/** The answer after `damage`, which is the same cold, in full and warm. */
async function answerAfter(root, host, damage) {
  const before = await answerOf(addon, root, ALL)
  // No host changes an event: what is kept of a Session does not look for that.
  addon.release(root)
  await host.exec(damage)
  const answer = await answerOf(addon, root, ALL)
  assert.deepEqual(await answerOf(addon, root, ALL, { fullScan: true }), answer)
  await addon.warm(root)
  assert.deepEqual(await answerOf(addon, root, ALL), answer)
  return { before, answer }
}

const PLACES = {
  'an event': { sql: EVENT, sessionId: 'plain', unreadable: true },
  'a header': { sql: HEADER, sessionId: 'plain', unreadable: true },
  'a message of an old Session': { sql: OLD, sessionId: 'old', unreadable: true },
  'arriving text': { sql: PARTIAL, sessionId: 'live', unreadable: false },
  'the event of arriving text': { sql: STREAM, sessionId: 'live', unreadable: false },
}
for (const [place, { sql, sessionId, unreadable }] of Object.entries(PLACES)) {
  describe(`${place} that is`, () => {
    for (const [name, value] of Object.entries(VALUES)) {
      test(name, () =>
        beside(async (root, host) => {
          const { before, answer } = await answerAfter(root, host, sql.replace('VALUE', value))
          assert.equal(answer.ok, true, answer.message)
          assert.deepEqual(others(answer, sessionId), others(before, sessionId))
          const shown = answer.passages.some((passage) => passage.sessionId === sessionId)
          assert.equal(shown, !unreadable)
          // It is not named where it could not hold the term.
          assert.ok(answer.coverage.sessionsUnreadable.every((id) => unreadable && id === sessionId))
        }))
    }
  })
}

describe('the record of an artifact that is', () => {
  const material = { operation: 'recallMaterial', request: { id: 'plain/art_notes' }, options: { activeSessionId: 'plain' } }
  for (const [name, value] of Object.entries(VALUES)) {
    test(name, () =>
      beside(async (root, host) => {
        const { before, answer } = await answerAfter(root, host, ARTIFACT.replace('VALUE', value))
        assert.deepEqual(others(answer), others(before))
        const found = await answerOf(addon, root, material)
        assert.deepEqual([found.ok, found.reason], [false, 'not_found'])
      }))
  }
})

describe('rows that contradict each other', () => {
  const contradictions = {
    'an event of another Session': `UPDATE runtime_events SET session_id = 'live' WHERE event_id = 'base-e-12'`,
    'an event that says to be another one': `UPDATE runtime_events SET payload_json = json_set(payload_json, '$.id', 'other') WHERE event_id = 'base-e-12'`,
    'an event without a place in the order': `DELETE FROM runtime_session_event_ordinals WHERE event_id = 'base-e-12'`,
    'an order of no event': `PRAGMA foreign_keys = OFF; INSERT INTO runtime_session_event_ordinals VALUES ('plain', 9999, 'none')`,
    'an ordinal at the end of all numbers': `UPDATE runtime_session_event_ordinals SET ordinal = 9223372036854775807 WHERE event_id = 'base-e-12'`,
    'times at the end of all numbers': `UPDATE runtime_events SET committed_at = -9223372036854775808`,
    'two ends of one run': `UPDATE runtime_events SET payload_json = json_set(payload_json, '$.status', 'completed') WHERE event_id = 'base-e-12'`,
    'chunks that are not all there': `DELETE FROM session_message_chunks WHERE chunk_index = 1`,
    'chunks that are other ones': `UPDATE session_message_chunks SET data = zeroblob(10) WHERE chunk_index = 1`,
    'a payload of no size': `UPDATE session_message_payloads SET record_bytes = 9223372036854775807`,
    'a header of another Session': `UPDATE session_metadata SET payload_json = json_set(payload_json, '$.id', 'live') WHERE session_id = 'plain'`,
    'a Session that revises itself': `UPDATE session_metadata SET payload_json = json_set(payload_json, '$.revisionRootSessionId', 'plain', '$.revisionParentSessionId', 'plain') WHERE session_id = 'plain'`,
    'arriving text of no run': `UPDATE runtime_partial_snapshots SET run_id = 'none', payload_json = json_set(payload_json, '$.runId', 'none')`,
  }
  for (const [name, damage] of Object.entries(contradictions)) {
    test(name, () =>
      beside(async (root, host) => {
        const { answer } = await answerAfter(root, host, damage)
        assert.equal(answer.ok, true, answer.message)
        assert.ok(answer.passages.some(({ sessionId }) => sessionId === 'waiting'))
        assert.deepEqual([answer], await freshAnswers(root, [ALL]))
      }))
  }
})

describe('megabytes in one row', () => {
  const text = (bytes) => `${'x'.repeat(bytes / 2)} alpha, in the middle ${'y'.repeat(bytes / 2)}`
  const result = (bytes) => ({ name: 'Read', intent: 'x', result: { kind: 'text', text: text(bytes) } })
  const large = {
    'of a message': (bytes) => ['appendTurn', { sessionId: 'plain', user: text(bytes), assistant: 'x' }],
    'of a result': (bytes) => ['appendTurn', { sessionId: 'plain', user: 'x', assistant: 'x', tool: result(bytes) }],
    'of arriving text': (bytes) => ['delta', { sessionId: 'plain', text: text(bytes), segmentBytes: bytes / 2 }],
    'of a title': (bytes) => ['rename', { sessionId: 'plain', name: text(bytes) }],
    'of a fact': (bytes) => ['remember', { itemId: 'large', content: text(bytes), keys: ['alpha'] }],
  }
  for (const [name, change] of Object.entries(large)) {
    const bytes = name === 'of a message' ? LARGE_BYTES : LARGE_BYTES / 8
    test(`${bytes / 2 ** 20} MiB ${name}`, () =>
      beside(async (root, host) => {
        await host.change('startTurn', { sessionId: 'plain', user: 'x' })
        const before = await answerOf(addon, root, ALL)
        await host.change(...change(bytes))
        const answer = await answerOf(addon, root, ALL)
        assert.equal(answer.ok, true, answer.message)
        assert.deepEqual(others(answer, 'plain'), others(before, 'plain'))
        for (const { messages } of answer.passages) {
          for (const message of messages) assert.ok(Buffer.byteLength(message.text) <= 4_096)
        }
        const query = 'in the middle'
        const threads = await answerOf(addon, root, { operation: 'searchThreads', request: { source: 'thread', query } })
        const found = threads.map(({ target, snippet }) => [target.sessionId, snippet.includes(query)])
        // Of a result only the beginning is matched; facts are no threads.
        const isSearched = !['of a result', 'of a fact'].includes(name)
        assert.deepEqual(found, isSearched ? [['plain', true]] : [])
      }))
  }
})
