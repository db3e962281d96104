// The plain JavaScript twin against every case of the golden data, every unit
// and every vector: only a twin that answers all of them may judge the engine.

import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { convert } from '../bench/twin/convert.js'
import { fold, foldUnstable } from '../bench/twin/fold.js'
import * as twin from '../bench/twin/index.js'
import { isInline, orderEvents, sortInvocations } from '../bench/twin/order.js'
import { spansOf } from '../bench/twin/positions.js'
import { project, Unreadable } from '../bench/twin/project.js'
import { redact } from '../bench/twin/redact.js'
import { readSession } from '../bench/twin/sessions.js'
import { Store } from '../bench/twin/store.js'
import { transcriptFrom, transcriptOf } from '../bench/twin/transcript.js'
import { windowOf } from '../bench/twin/window.js'
import { createRuntimeTables } from '../bench/workspace/schema.mjs'

const FIXTURES = fileURLToPath(new URL('../tests/fixtures/', import.meta.url))
const GOLDEN = join(FIXTURES, 'golden')
/** What the product keeps of a row, and of a searchable row; other keys of the vectors are the host's. */
const PLACE = ['type', 'id', 'turnId', 'ts']
const CONTENTS = ['text', 'displayText', 'attachments', 'toolName', 'intent', 'toolUseId', 'content']
const SEARCHABLE = ['user', 'assistant', 'tool_call', 'tool_result']

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))
const unit = (name) => readJson(join(FIXTURES, 'units', `${name}.json`))
const vectors = (name) =>
  readdirSync(join(FIXTURES, 'vectors', name)).map((file) => readJson(join(FIXTURES, 'vectors', name, file)))
/** Absent and undefined are the same. */
const plain = (value) => JSON.parse(JSON.stringify(value))

function kept(rows) {
  return plain(
    rows.map((row) => {
      const keys = SEARCHABLE.includes(row.type) ? [...PLACE, ...CONTENTS] : PLACE
      return Object.fromEntries(keys.map((key) => [key, row[key]]))
    }),
  )
}

function temporary(t) {
  const root = mkdtempSync(join(tmpdir(), 'recall-twin-'))
  t.after(() => rmSync(root, { recursive: true }))
  return root
}

/** What a case fixes of an answer: how a set of Sessions is narrowed is free in a workspace. */
function assertAnswer(answer, expected, { freeNarrowing }) {
  const got = plain(answer)
  const want = plain(expected)
  if (got.ok && freeNarrowing && got.coverage !== undefined) {
    assert.equal(typeof got.scannedFully, 'boolean')
    assert.equal(got.coverage.narrowed, !got.scannedFully)
    for (const one of [got, want]) {
      delete one.scannedFully
      delete one.coverage.narrowed
    }
  }
  if (!want.ok && want.message === undefined) {
    assert.notEqual(got.message, '')
    delete got.message
  }
  assert.deepEqual(got, want)
}

function callOptions({ privacy, aborted, excludeTurnIds, ...rest }) {
  return {
    ...rest,
    ...(aborted && { abortSignal: AbortSignal.abort() }),
    ...(excludeTurnIds && { excludeTurnIds: new Set(excludeTurnIds) }),
  }
}

for (const workspace of readdirSync(GOLDEN).filter((name) => existsSync(join(GOLDEN, name, 'runtime.sqlite')))) {
  test(`golden ${workspace}`, async (t) => {
    const root = temporary(t)
    cpSync(join(GOLDEN, workspace), root, { recursive: true })
    const operations = { recall: twin.twinRecall, recallMore: twin.twinMore, recallMaterial: twin.twinMaterial }
    for (const { name, op, request, options, expected } of readJson(join(GOLDEN, workspace, 'cases.json'))) {
      const deps = { workspaceRoot: root, getPrivacyContext: async () => options.privacy }
      for (const fullScan of op === 'recall' ? [false, true] : [false]) {
        await t.test(`${op}: ${name}${fullScan ? ', full scan' : ''}`, async () => {
          const answer = await operations[op](request, deps, { ...callOptions(options), fullScan })
          assertAnswer(answer, expected, { freeNarrowing: true })
        })
      }
    }
  })
}

test('golden deps', async (t) => {
  const operations = {
    recall: twin.runRecall,
    recallMore: twin.expandRecallPassage,
    recallMaterial: twin.fetchRecallMaterial,
  }
  for (const example of readJson(join(GOLDEN, 'deps', 'cases.json'))) {
    const { name, op, request, options, expected } = example
    await t.test(`${op}: ${name}`, async () => {
      const answer = await operations[op](request, callbacksOf(example), callOptions(options))
      assertAnswer(answer, expected, { freeNarrowing: false })
    })
  }
})

function callbacksOf({ sessions, messages, privacy, facts, candidateMode, candidates, count, material }) {
  const deps = {
    getPrivacyContext: async () => privacy,
    listSessions: async () => sessions,
    readMessages: async (id) => messages[id] ?? null,
  }
  if (candidateMode !== 'none') deps.listCandidateSessions = async () => candidates
  if (candidateMode === 'answers') deps.countSearchableMessages = async () => count
  if (material !== undefined) deps.fetchMaterial = async () => material
  if (facts !== undefined) {
    deps.searchFacts = async () => {
      if (facts === 'throws') throw new Error('no facts today')
      return facts
    }
  }
  return deps
}

test('redaction units', () => {
  for (const { input, output } of unit('redaction')) assert.equal(redact(input), output, JSON.stringify(input))
})

test('fold units and vectors', () => {
  for (const { input, folded } of unit('fold')) assert.equal(fold(input), folded, JSON.stringify(input))
  for (const vector of readJson(join(FIXTURES, 'vectors', 'fold.json')).vectors) {
    assert.equal(fold(vector.input), vector.folded, JSON.stringify(vector.input))
    assert.equal(foldUnstable(vector.input), vector.foldUnstable, JSON.stringify(vector.input))
  }
})

test('position units', () => {
  for (const { text, term, spans } of unit('positions')) {
    assert.deepEqual(spansOf(text, fold(term)), spans, `${term} in ${text}`)
  }
})

test('window units', () => {
  for (const { text, maxBytes, matchStart, capped, shown, truncated } of unit('windows')) {
    const window = windowOf(text, maxBytes, { matchStart, capped })
    assert.deepEqual([window.shown, window.truncated], [shown, truncated], `${maxBytes} bytes of ${text.slice(0, 40)}`)
  }
})

test('projection vectors', async (t) => {
  for (const { name, events, invocations, outcomes = [], readable, expectedMessages } of vectors('projection')) {
    await t.test(name, () => {
      const openings = new Map(invocations.map(({ runId, opening }) => [runId, opening]))
      const answered = new Map(outcomes.map((outcome) => [outcome.requestId, outcome]))
      if (!readable) {
        assert.throws(() => project(events, openings, answered), Unreadable)
        return
      }
      assert.deepEqual(kept(project(events, openings, answered)), kept(expectedMessages))
    })
  }
})

test('session vectors', async (t) => {
  for (const { name, sessionId, tables, readable, orderedEventIds, expectedMessages } of vectors('session')) {
    await t.test(name, (t) => {
      const root = temporary(t)
      writeTables(join(root, 'runtime.sqlite'), tables)
      const session = readSession({ id: sessionId, name, transcriptLedgerVersion: 1 })
      const store = new Store(root)
      t.after(() => store.close())
      if (!readable) {
        assert.throws(() => transcriptOf(session, store), Unreadable)
        return
      }
      const { runs } = store.read(session, isInline)
      assert.deepEqual(orderEvents(sortInvocations(runs)).map((event) => event.id), orderedEventIds)
      assert.deepEqual(kept(transcriptOf(session, store)), kept(expectedMessages))
    })
  }
})

function writeTables(path, tables) {
  const db = new DatabaseSync(path)
  createRuntimeTables(db, 'openings')
  db.exec('BEGIN')
  for (const [table, rows] of Object.entries(tables)) {
    for (const row of rows) {
      const columns = Object.keys(row)
      const places = columns.map(() => '?').join(', ')
      db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`).run(...Object.values(row))
    }
  }
  db.exec('COMMIT')
  db.close()
}

test('legacy vectors', async (t) => {
  for (const vector of vectors('legacy')) {
    const { name, header, session_messages: stored, ledger, convertedEvents, expectedMessages } = vector
    await t.test(name, () => {
      const session = readSession(header)
      const records = stored.map((record) => ({ ...record, bytes: JSON.stringify(record.message).length }))
      const runs = ledger.ownedTurnIds.map((turnId) => ownedRun(session.id, turnId))
      const converted = convert(session, records, runs).filter((run) => run.runId.startsWith('transcript-'))
      assert.deepEqual(
        orderEvents(sortInvocations(converted)).map(essence),
        convertedEvents.filter((event) => event.content?.kind !== 'invocation_opened').map(essence),
      )
      const rows = transcriptFrom(session, { runs, records })
      const ofConverter = rows.filter((row) => !ledger.ownedTurnIds.includes(row.turnId))
      assert.deepEqual(kept(ofConverter), kept(expectedMessages))
    })
  }
})

/** A turn that a real run of the ledger has ended. */
function ownedRun(sessionId, turnId) {
  const identity = { sessionId, invocationId: `inv-${turnId}`, runId: `run-${turnId}`, turnId }
  const ending = { ...identity, id: `end-${turnId}`, ts: 1, role: 'system', status: 'completed' }
  const opening = { kind: 'invocation_opened', route: { modelId: 'm' }, source: { kind: 'fresh' } }
  return { ...identity, openedAt: 1, opening, events: [{ event: ending, ordinal: 1 }], streams: [] }
}

/** What of a converted event decides its row and its place. */
function essence({ id, runId, turnId, ts, role, status, content, refs }) {
  const { kind, text } = content ?? {}
  return plain({ id, runId, turnId, ts, role, status, kind, text, storedMessageId: refs?.storedMessageId })
}
