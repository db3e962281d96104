// The workspace on disk, read-only: one connection, one snapshot for one
// answer. SQL stands here and in `facts.js`.

import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import {
  decodeEvent,
  decodeMessage,
  decodeStream,
  invocationOf,
  invocationOfHeader,
  parseObject,
  parseOr,
} from './decode.js'
import { fold, foldUnstable } from './fold.js'
import { Unreadable } from './project.js'
import { readSession } from './sessions.js'

const BUSY_TIMEOUT_MS = 5_000
const SEARCHABLE = "('user', 'assistant', 'tool_call', 'tool_result')"
const REQUIRED = {
  session_metadata: ['session_id', 'payload_json'],
  runtime_events: [
    'event_id',
    'session_id',
    'invocation_id',
    'run_id',
    'turn_id',
    'event_seq',
    'event_kind',
    'payload_json',
    'committed_at',
  ],
  runtime_session_event_ordinals: ['session_id', 'ordinal', 'event_id'],
  runtime_partial_snapshots: [
    'stream_key',
    'session_id',
    'run_id',
    'after_event_id',
    'payload_json',
    'text_content',
    'updated_at',
  ],
  runtime_partial_segments: ['stream_key', 'segment_seq', 'text_content'],
  session_messages: ['session_id', 'sequence', 'message_type', 'record_json'],
  session_message_payloads: ['session_id', 'sequence', 'record_bytes', 'sha256'],
  session_message_chunks: ['session_id', 'sequence', 'chunk_index', 'data', 'sha256'],
}
const SHELF = {
  runtime_legacy_invocation_openings: ['session_id', 'invocation_id', 'run_id', 'turn_id', 'opened_at', 'opening_json'],
}
const HEADERS = { core_agent_runs: ['session_id', 'run_id', 'created_at', 'record_json'] }

/** A workspace that cannot be read, with the `reason` of the answer. */
export class StoreError extends Error {
  constructor(reason, message) {
    super(message)
    this.reason = reason
  }
}

export class Store {
  #db
  #statements = new Map()
  #hasShelf
  #hasOutcomes

  /** Opens `<root>/runtime.sqlite` and begins the snapshot. Throws {@link StoreError}. */
  constructor(root) {
    const path = join(root, 'runtime.sqlite')
    try {
      if (!statSync(path).isFile()) throw new Error('it is no file')
      this.#db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
      this.#db.exec('BEGIN')
      this.#hasShelf = this.#columns('runtime_legacy_invocation_openings').size !== 0
    } catch (error) {
      this.close()
      throw new StoreError('unavailable', `${path} cannot be read: ${error.message}`)
    }
    this.#requireShape(path)
    this.#hasOutcomes = this.#columns('core_interaction_outcomes').size !== 0
    this.#db.function('maka_recall_fold_unstable', { deterministic: true }, (text) => Number(foldUnstable(text)))
  }

  close() {
    this.#db?.close()
    this.#db = undefined
  }

  /** Every Session that is listed. A header that is no JSON is no Session. */
  sessions() {
    const sessions = []
    for (const { payload_json: json } of this.#statement('SELECT payload_json FROM session_metadata').iterate()) {
      const session = readSession(parseOr(json, undefined))
      if (session !== undefined) sessions.push(session)
    }
    return sessions
  }

  /**
   * Ids of the Sessions that could hold a term: a superset. `null` when a
   * chunked record cannot be put together, so that nobody can say.
   */
  candidates(sessions, foldedTerms) {
    const ids = JSON.stringify(sessions.map((session) => session.id))
    const old = JSON.stringify(sessions.filter(isUnconverted).map((session) => session.id))
    const holds = (column) => {
      const terms = foldedTerms.map(() => `instr(lower(${column}), ?) > 0`)
      return `(${[...terms, `maka_recall_fold_unstable(${column})`].join(' OR ')})`
    }
    const inline = this.#statement(`
      SELECT session_id FROM runtime_events
      WHERE session_id IN (SELECT value FROM json_each(?)) AND ${holds('payload_json')}
      UNION
      SELECT session_id FROM runtime_partial_snapshots
      WHERE session_id IN (SELECT value FROM json_each(?))
      UNION
      SELECT session_id FROM session_messages AS message
      WHERE session_id IN (SELECT value FROM json_each(?))
        AND message_type IN ${SEARCHABLE}
        AND NOT EXISTS (SELECT 1 FROM session_message_payloads AS payload
          WHERE payload.session_id = message.session_id AND payload.sequence = message.sequence)
        AND ${holds('record_json')}
    `)
    const found = new Set(
      inline.all(ids, ...foldedTerms, ids, old, ...foldedTerms).map((row) => row.session_id),
    )
    for (const { id, sequence } of this.#chunked(old)) {
      const record = this.#assemble(id, sequence)
      if (record === undefined) return null
      const folded = fold(record)
      if (foldedTerms.some((term) => folded.includes(term))) found.add(id)
    }
    return found
  }

  /** Searchable messages of the corpus, of readable and unreadable Sessions alike. */
  count(sessions) {
    const ids = JSON.stringify(sessions.map((session) => session.id))
    const old = JSON.stringify(sessions.filter(isUnconverted).map((session) => session.id))
    return this.#statement(`
        SELECT
          (SELECT COUNT(*) FROM runtime_events
            WHERE session_id IN (SELECT value FROM json_each(?))
              AND event_kind IN ('text', 'function_call', 'function_response'))
          + (SELECT COUNT(*) FROM session_messages
            WHERE session_id IN (SELECT value FROM json_each(?)) AND message_type IN ${SEARCHABLE})
          AS total
      `)
      .get(ids, old).total
  }

  /** Whether any stored text of a Session could hold a term, read or not. */
  couldHold(session, foldedTerms) {
    const wanted = foldedTerms.flatMap((term) => [term, fold(JSON.stringify(term).slice(1, -1))])
    const holds = (text) => {
      const folded = fold(text)
      return wanted.some((term) => folded.includes(term))
    }
    const events = this.#statement(
      "SELECT payload_json FROM runtime_events WHERE session_id = ? AND event_kind <> 'invocation_opened'",
    )
    for (const { payload_json: json } of events.iterate(session.id)) if (holds(json)) return true
    if (this.#streamRows(session.id).some((row) => holds(row.text))) return true
    if (!isUnconverted(session)) return false
    return this.#messageRows(session.id).some(({ json }) => json === undefined || holds(json))
  }

  /**
   * What a Session is projected from: `{runs, records, outcomes}`. Rows of runs
   * that are no part of the transcript are not decoded. Throws {@link Unreadable}.
   */
  read(session, isInline) {
    const runs = this.#invocations(session.id)
      .filter(isInline)
      .map((invocation) => ({ ...invocation, sessionId: session.id, events: [], streams: [] }))
    const byRun = new Map(runs.map((run) => [run.runId, run]))
    const events = this.#statement(`
      SELECT event.event_id, event.invocation_id, event.run_id, event.turn_id, event.payload_json, place.ordinal
      FROM runtime_events AS event
      LEFT JOIN runtime_session_event_ordinals AS place ON place.event_id = event.event_id
      WHERE event.session_id = ?
      ORDER BY event.event_seq, event.event_id
    `)
    for (const row of events.iterate(session.id)) {
      const run = byRun.get(row.run_id)
      if (run === undefined) continue
      run.events.push({ event: decodeEvent(row, session.id), ordinal: row.ordinal ?? undefined })
    }
    for (const stream of this.#streamRows(session.id)) {
      const event = decodeStream(stream, session.id)
      if (event !== undefined) byRun.get(stream.run_id)?.streams.push({ event, afterEventId: stream.after_event_id })
    }
    return { runs, records: this.#records(session), outcomes: this.#outcomes(session.id) }
  }

  /** The record of a live artifact. */
  artifact(sessionId, artifactId) {
    const row = this.#statement('SELECT * FROM artifact_records WHERE session_id = ? AND artifact_id = ?')
      .get(sessionId, artifactId)
    if (row === undefined || (row.status !== undefined && row.status !== 'live')) return undefined
    return parseOr(row.record_json, undefined)
  }

  #invocations(sessionId) {
    const found = new Map()
    const add = (invocation) => {
      if (!found.has(invocation.invocationId)) found.set(invocation.invocationId, invocation)
    }
    const opened = this.#statement(`
      SELECT event_id, invocation_id, run_id, turn_id, payload_json, committed_at FROM runtime_events
      WHERE session_id = ? AND event_kind = 'invocation_opened'
    `)
    for (const row of opened.all(sessionId)) {
      add(invocationOf(row, row.committed_at, decodeEvent(row, sessionId).content))
    }
    if (this.#hasShelf) {
      const shelf = this.#statement(`
        SELECT invocation_id, run_id, turn_id, opened_at, opening_json
        FROM runtime_legacy_invocation_openings WHERE session_id = ?
      `)
      for (const row of shelf.all(sessionId)) {
        add(invocationOf(row, row.opened_at, parseObject(row.opening_json, `opening of ${row.run_id}`)))
      }
    } else {
      const headers = this.#statement(
        'SELECT run_id, created_at, record_json FROM core_agent_runs WHERE session_id = ?',
      )
      for (const row of headers.all(sessionId)) add(invocationOfHeader(row))
    }
    return [...found.values()]
  }

  #streamRows(sessionId) {
    const segments = this.#statement(
      'SELECT text_content FROM runtime_partial_segments WHERE stream_key = ? ORDER BY segment_seq',
    )
    return this.#statement(
      'SELECT * FROM runtime_partial_snapshots WHERE session_id = ? ORDER BY updated_at, stream_key',
    )
      .all(sessionId)
      .map((row) => ({
        ...row,
        text: row.text_content + segments.all(row.stream_key).map((segment) => segment.text_content).join(''),
      }))
  }

  /** Stored messages of a Session that was never converted; none of one that was. */
  #records(session) {
    if (session.ledgerVersion === 1) return undefined
    if (session.ledgerVersion === 0) throw new Unreadable(`Session ${session.id} is still being prepared`)
    return this.#messageRows(session.id).map(({ sequence, json }) => {
      if (json === undefined) throw new Unreadable(`record ${sequence} lost a chunk`)
      return { sequence, bytes: Buffer.byteLength(json), message: decodeMessage(json, sequence) }
    })
  }

  #messageRows(sessionId) {
    const chunked = new Set(this.#chunked(JSON.stringify([sessionId])).map(({ sequence }) => sequence))
    return this.#statement('SELECT sequence, record_json FROM session_messages WHERE session_id = ? ORDER BY sequence')
      .all(sessionId)
      .map(({ sequence, record_json: json }) => ({
        sequence,
        json: chunked.has(sequence) ? this.#assemble(sessionId, sequence) : json,
      }))
  }

  #chunked(ids) {
    return this.#statement(`
        SELECT session_id AS id, sequence FROM session_message_payloads
        WHERE session_id IN (SELECT value FROM json_each(?)) ORDER BY session_id, sequence
      `)
      .all(ids)
  }

  /** A record that was stored in chunks; characters may be cut between them. */
  #assemble(sessionId, sequence) {
    const payload = this.#statement(
      'SELECT record_bytes, sha256 FROM session_message_payloads WHERE session_id = ? AND sequence = ?',
    ).get(sessionId, sequence)
    const chunks = this.#statement(`
        SELECT chunk_index, data, sha256 FROM session_message_chunks
        WHERE session_id = ? AND sequence = ? ORDER BY chunk_index
      `)
      .all(sessionId, sequence)
    const whole = Buffer.concat(chunks.map((chunk) => chunk.data))
    const inOrder = chunks.every((chunk, index) => chunk.chunk_index === index && sha256(chunk.data) === chunk.sha256)
    if (!inOrder || whole.length !== payload.record_bytes || sha256(whole) !== payload.sha256) return undefined
    return whole.toString('utf8')
  }

  #outcomes(sessionId) {
    const outcomes = new Map()
    if (!this.#hasOutcomes) return outcomes
    const rows = this.#statement(`
      SELECT request.request_id, request.session_id, request.run_id, request.turn_id, outcome.record_json
      FROM core_interaction_requests AS request
      JOIN core_interaction_outcomes AS outcome ON outcome.request_id = request.request_id
      WHERE request.session_id = ? AND request.request_kind = 'permission'
    `)
    for (const row of rows.all(sessionId)) {
      const answer = parseOr(row.record_json, undefined)?.outcome
      if (answer?.kind !== 'permission_answer' || !Number.isFinite(answer.committedAt)) continue
      outcomes.set(row.request_id, {
        sessionId: row.session_id,
        runId: row.run_id,
        turnId: row.turn_id,
        committedAt: answer.committedAt,
      })
    }
    return outcomes
  }

  #requireShape(path) {
    for (const [table, columns] of Object.entries({ ...REQUIRED, ...(this.#hasShelf ? SHELF : HEADERS) })) {
      const present = this.#columns(table)
      const missing = present.size === 0 ? '' : columns.find((column) => !present.has(column))
      if (missing === undefined) continue
      this.close()
      const what = missing === '' ? `table ${table}` : `column ${table}.${missing}`
      throw new StoreError('unsupported_workspace', `${path} has no ${what}`)
    }
  }

  /** A statement that is prepared once. */
  #statement(sql) {
    if (!this.#statements.has(sql)) this.#statements.set(sql, this.#db.prepare(sql))
    return this.#statements.get(sql)
  }

  #columns(table) {
    return new Set(this.#statement(`SELECT name FROM pragma_table_info('${table}')`).all().map((row) => row.name))
  }
}

/** Whether old rows stand for the transcript, or would if the import were done. */
export function isUnconverted(session) {
  return session.ledgerVersion !== 1
}

function sha256(data) {
  return createHash('sha256').update(data).digest('hex')
}
