// Generated workspaces: what the benchmark measures on, and what the twin and
// the addon are compared on.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

import { generate } from '../bench/generate.mjs'
import { drawTerms, QUERIES } from '../bench/measure/terms.mjs'
import { foldUnstable } from '../bench/twin/fold.js'
import { twinMore, twinRecall, twinThreads } from '../bench/twin/index.js'
import { Store } from '../bench/twin/store.js'
import { redactedText, storedText } from '../bench/twin/text.js'
import { transcriptOf } from '../bench/twin/transcript.js'
import { release, searchThreads } from '../index.js'

const SMALL = { bytes: 300_000, sessions: 6, seed: 'test' }
const privacy = { getPrivacyContext: () => ({ incognitoActive: false }) }

function temporary(t) {
  const root = mkdtempSync(join(tmpdir(), 'recall-workspace-'))
  t.after(() => rmSync(root, { recursive: true }))
  return root
}

/** Every row of every table, in the order of the tables. */
function contents(root) {
  const db = new DatabaseSync(join(root, 'runtime.sqlite'), { readOnly: true })
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
  const rows = tables.map(({ name }) => [name, db.prepare(`SELECT * FROM ${name}`).all()])
  db.close()
  return rows
}

/** An answer without what says how it was found. */
function essence({ scannedFully, coverage, ...answer }) {
  const { narrowed, sessionCap, factsStatus, ...covered } = coverage
  return JSON.parse(JSON.stringify({ ...answer, coverage: covered }))
}

function transcripts(root, t) {
  const store = new Store(root)
  t.after(() => store.close())
  return store.sessions().map((session) => ({ session, rows: transcriptOf(session, store) }))
}

test('the same seed gives the same workspace, another seed another', (t) => {
  const [one, same, other] = [temporary(t), temporary(t), temporary(t)]
  generate(one, SMALL)
  generate(same, SMALL)
  generate(other, { ...SMALL, seed: 'other' })
  assert.deepEqual(contents(one), contents(same))
  assert.notDeepEqual(contents(one), contents(other))
})

test('a workspace is made as real ones are', (t) => {
  const root = temporary(t)
  const counts = generate(root, { bytes: 6_000_000, sessions: 20, seed: 'shape' })
  assert.ok(Math.abs(counts.bytes - 6_000_000) < 600_000, `${counts.bytes} bytes`)
  const share = counts.resultBytes / counts.bytes
  assert.ok(0.78 < share && share < 0.9, `tool results are ${share} of the bytes`)

  const db = new DatabaseSync(join(root, 'runtime.sqlite'), { readOnly: true })
  const payloads = db.prepare('SELECT session_id, payload_json FROM runtime_events ORDER BY rowid').all()
  const mode = db.prepare('PRAGMA journal_mode').get().journal_mode
  db.close()
  assert.equal(mode, 'wal')
  const unstable = payloads.filter((row) => foldUnstable(row.payload_json)).length / payloads.length
  assert.ok(0.001 < unstable && unstable < 0.01, `${unstable} of the rows are fold-unstable`)
  const switches = payloads.filter((row, index) => 0 < index && row.session_id !== payloads[index - 1].session_id).length
  assert.ok(payloads.length / 40 < switches, `rows of Sessions interleave ${switches} times`)

  const messages = transcripts(root, t).flatMap(({ rows }) => rows.filter((row) => storedText(row) !== undefined))
  const text = messages.map((row) => redactedText(row).text)
  const textShare = text.reduce((sum, one) => sum + Buffer.byteLength(one), 0) / counts.bytes
  assert.ok(0.3 < textShare && textShare < 0.55, `texts are ${textShare} of the bytes`)
  const redacted = text.filter((one) => one.includes('[redacted]')).length / messages.length
  assert.ok(0.03 < redacted && redacted < 0.12, `${redacted} of the messages hold a secret`)
})

for (const generation of ['openings', 'headers']) {
  for (const oldMessages of [0, 0.5]) {
    const name = `${generation}${oldMessages === 0 ? '' : ', some Sessions not converted'}`

    test(`every Session can be read: ${name}`, (t) => {
      const root = temporary(t)
      const counts = generate(root, { ...SMALL, generation, oldMessages })
      assert.equal(0 < counts.messages, 0 < oldMessages)
      for (const { session, rows } of transcripts(root, t)) {
        assert.equal(rows[0].type, 'user', session.id)
        assert.ok(rows.some((row) => row.type === 'tool_result'), session.id)
      }
    })

    test(`narrowed, full and callbacks give equal answers: ${name}`, async (t) => {
      const root = temporary(t)
      generate(root, { ...SMALL, generation, oldMessages })
      const native = { ...privacy, workspaceRoot: root }
      const callbacks = callbacksOf(root, t)
      const asked = [...QUERIES.map(({ terms }) => terms), ...drawTerms(root, 6, 'test').map((term) => [term])]
      for (const terms of asked) {
        const narrowed = await twinRecall({ terms }, native)
        assert.equal(narrowed.ok, true)
        assert.equal(narrowed.coverage.narrowed, true)
        const full = await twinRecall({ terms }, native, { fullScan: true })
        assert.equal(full.scannedFully, true)
        assert.deepEqual(essence(full), essence(narrowed), terms.join())
        const called = await twinRecall({ terms }, callbacks)
        assert.deepEqual(essence({ ...called, facts: narrowed.facts, gaps: narrowed.gaps }), essence(narrowed), terms.join())
        for (const { anchor, sessionId, sequence } of narrowed.passages) {
          const more = await twinMore({ anchor }, native)
          assert.deepEqual([more.passage.sessionId, more.passage.sequence], [sessionId, sequence])
          assert.deepEqual(await twinMore({ anchor }, callbacks), more)
        }
      }
    })
  }
}

/** A host that serves what is read natively. */
function callbacksOf(root, t) {
  const store = new Store(root)
  t.after(() => store.close())
  const byId = new Map(store.sessions().map((session) => [session.id, session]))
  const db = new DatabaseSync(join(root, 'runtime.sqlite'), { readOnly: true })
  const headers = db.prepare('SELECT payload_json FROM session_metadata').all()
  db.close()
  return {
    ...privacy,
    listSessions: async () => headers.map((row) => JSON.parse(row.payload_json)),
    readMessages: async (id) => JSON.parse(JSON.stringify(transcriptOf(byId.get(id), store))),
    listCandidateSessions: async ({ sessionIds, terms }) => [
      ...(store.candidates(sessionIds.map((id) => byId.get(id)), terms) ?? []),
    ],
    countSearchableMessages: async ({ sessionIds }) => store.count(sessionIds.map((id) => byId.get(id))),
  }
}

test('random terms are the same for a seed, and are found', async (t) => {
  const root = temporary(t)
  generate(root, SMALL)
  const terms = drawTerms(root, 30, 'a')
  assert.deepEqual(drawTerms(root, 30, 'a'), terms)
  assert.notDeepEqual(drawTerms(root, 30, 'b'), terms)
  assert.equal(new Set(terms).size, 30)
  let found = 0
  for (const term of terms) {
    const answer = await twinRecall({ terms: [term] }, { ...privacy, workspaceRoot: root })
    found += Number(0 < answer.coverage.matchedMessages)
  }
  // A term may stand only where nothing is searched: behind the cut of a result, in an archived Session.
  assert.ok(25 <= found, `${found} of 30 are found`)
})

test('a corpus that is too small for so many terms says so', (t) => {
  const root = temporary(t)
  generate(root, { bytes: 2_000, sessions: 1, seed: 'tiny' })
  assert.throws(() => drawTerms(root, 1e6, 'a'), /does not hold 1000000 different terms/)
})

test('the modal leaves out the turn in flight', async (t) => {
  const root = temporary(t)
  generate(root, SMALL)
  const deps = { ...privacy, workspaceRoot: root }
  const request = { source: 'thread', query: '任务队列', limit: 10_000 }
  const [{ target }] = (await twinThreads(request, deps, { maxResults: 10_000 })).filter(({ target }) => target.turnId)
  const options = { maxResults: 10_000, activeSessionId: target.sessionId }
  for (const search of [twinThreads, searchThreads]) {
    const ask = async (excludeTurnIds) => JSON.parse(JSON.stringify(await search(request, deps, { ...options, excludeTurnIds })))
    const isOther = (result) => result.target.sessionId !== target.sessionId || result.target.turnId !== target.turnId
    const all = await ask([])
    assert.ok(!all.every(isOther))
    assert.deepEqual(await ask([target.turnId]), all.filter(isOther))
  }
  release(root)
})

test('the modal finds what recall finds', async (t) => {
  const root = temporary(t)
  generate(root, SMALL)
  const deps = { ...privacy, workspaceRoot: root }
  const query = '任务队列'
  const results = await twinThreads({ source: 'thread', query, limit: 10_000 }, deps, { maxResults: 10_000 })
  const limited = await twinThreads({ source: 'thread', query }, deps)
  assert.deepEqual(limited, results.slice(0, 5))
  const { coverage } = await twinRecall({ terms: [query] }, deps)
  const messages = results.filter((result) => result.target.sequence !== undefined)
  assert.equal(messages.length, coverage.matchedMessages)
  for (const { snippet, matches } of results) {
    assert.ok(Array.from(snippet).length <= 240)
    assert.deepEqual(matches.map(({ start, end }) => snippet.slice(start, end)), matches.map(() => query))
    assert.notEqual(matches.length, 0)
  }
})
