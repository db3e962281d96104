// Sessions of before the ledger: rows of messages, and the host's conversion of
// them, which it does in three transactions.

import { createHash } from 'node:crypto'

import { append, beginRun } from './ledger.mjs'
import { sha256 } from './database.mjs'
import { changeHeader } from './sessions.mjs'

/** Longer records are stored in chunks of this size. */
const CHUNK_BYTES = 65_536
const CHUNK_MARKER = '{"$maka":"session-message-chunks-v1"}'

/** A turn of an old Session, as rows; `messageId` is that of the question. */
export function appendOldTurn(host, { sessionId, user, assistant, messageId = host.id('u') }) {
  const at = host.now()
  const turn = { turnId: host.id('t') }
  store(host, sessionId, { type: 'user', id: messageId, ...turn, ts: at, text: user })
  store(host, sessionId, { type: 'assistant', id: host.id('m'), ...turn, ts: at + 1, text: assistant, modelId: 'model-a' })
  store(host, sessionId, { type: 'turn_state', id: host.id('s'), ...turn, ts: at + 2, status: 'completed', partialOutputRetained: false })
}

/** First: the events of every turn that the ledger does not own. */
export function convert(host, { sessionId }) {
  const header = JSON.parse(host.row('SELECT payload_json FROM session_metadata WHERE session_id = ?', sessionId).payload_json)
  const records = host
    .rows('SELECT sequence, record_json FROM session_messages WHERE session_id = ? ORDER BY sequence', sessionId)
    .map(({ sequence, record_json }) => ({ sequence, ...(record_json === CHUNK_MARKER ? chunked(host, sessionId, sequence) : JSON.parse(record_json)) }))
  const owned = new Set(host.rows('SELECT DISTINCT turn_id FROM runtime_events WHERE session_id = ?', sessionId).map((row) => row.turn_id))
  const highWater = records.at(-1)?.sequence ?? 0
  for (const [turnId, turn] of Map.groupBy(records, (record) => record.turnId)) {
    if (owned.has(turnId)) continue
    const runId = `transcript-${sha256(`${sessionId}\u0000${turnId}`).slice(0, 48)}`
    const run = { sessionId, turnId, runId, invocationId: runId }
    const openedAt = Math.max(0, header.createdAt - 1 - (highWater - turn[0].sequence))
    beginRun(host, run, openedAt, { model: header.model, openingId: `${runId}-opened` })
    append(host, run, ...turn.map((record, index) => ({ id: `${runId}-e${index + 1}`, ...eventOf(record) })))
    if (host.generation === 'headers') host.run("UPDATE core_agent_runs SET record_json = json_set(record_json, '$.status', 'completed') WHERE run_id = ?", runId)
  }
}

/** Then: every ordinal of the Session anew, by the opening of its run. */
export function renumber(host, { sessionId }) {
  const { max } = host.row('SELECT max(ordinal) AS max FROM runtime_session_event_ordinals WHERE session_id = ?', sessionId)
  const opened = host.generation === 'headers'
    ? '(SELECT r.created_at FROM core_agent_runs r WHERE r.run_id = e.run_id)'
    : "(SELECT f.committed_at FROM runtime_events f WHERE f.invocation_id = e.invocation_id AND f.event_kind = 'invocation_opened')"
  const order = host.rows(
    `SELECT o.event_id FROM runtime_session_event_ordinals o JOIN runtime_events e USING (event_id)
     WHERE o.session_id = ? ORDER BY coalesce(${opened}, e.committed_at), e.invocation_id, o.ordinal`,
    sessionId,
  )
  host.run('UPDATE runtime_session_event_ordinals SET ordinal = ordinal + ? WHERE session_id = ?', max, sessionId)
  order.forEach(({ event_id }, index) => {
    host.run('UPDATE runtime_session_event_ordinals SET ordinal = ? WHERE event_id = ?', index + 1, event_id)
  })
}

/** At last: the ledger owns the transcript. */
export function markConverted(host, { sessionId }) {
  changeHeader(host, sessionId, { transcriptLedgerVersion: 1 })
}

function eventOf(record) {
  const { type, id: storedMessageId, ts, text } = record
  const refs = { storedMessageId }
  if (type === 'user') return { ts, role: 'user', author: 'user', content: { kind: 'text', text }, refs }
  if (type === 'assistant') return { ts, role: 'model', author: 'agent', content: { kind: 'text', text }, refs }
  return { ts, role: 'system', author: 'system', status: 'completed', actions: { endInvocation: true, stateDelta: {} }, refs }
}

function store(host, sessionId, record) {
  const { sequence } = host.row('SELECT coalesce(max(sequence), -1) + 1 AS sequence FROM session_messages WHERE session_id = ?', sessionId)
  const bytes = Buffer.from(JSON.stringify(record))
  const isLong = CHUNK_BYTES < bytes.length
  const place = { session_id: sessionId, sequence }
  host.insert('session_messages', {
    ...place, message_id: record.id, message_type: record.type, message_ts: record.ts,
    record_json: isLong ? CHUNK_MARKER : bytes.toString(),
  })
  if (!isLong) return
  host.insert('session_message_payloads', { ...place, record_bytes: bytes.length, sha256: hashOf(bytes) })
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    const data = bytes.subarray(start, start + CHUNK_BYTES)
    host.insert('session_message_chunks', { ...place, chunk_index: start / CHUNK_BYTES, data, sha256: hashOf(data) })
  }
}

function chunked(host, sessionId, sequence) {
  const chunks = host.rows('SELECT data FROM session_message_chunks WHERE session_id = ? AND sequence = ? ORDER BY chunk_index', sessionId, sequence)
  return JSON.parse(Buffer.concat(chunks.map(({ data }) => data)).toString())
}

function hashOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}
