// Writes rows, fast: no journal and no sync until everything is there, then
// the WAL mode of a live workspace, checkpointed.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { createRuntimeTables } from './schema.mjs'

const ROWS_PER_TRANSACTION = 5_000
/** Longer records are stored in chunks of this size. */
const CHUNK_BYTES = 65_536
const CHUNK_MARKER = '{"$maka":"session-message-chunks-v1"}'

/** `runtime.sqlite` of a workspace that is being written. */
export class WorkspaceDatabase {
  #db
  #generation
  #statements = new Map()
  #rows = 0

  constructor(root, generation) {
    this.#generation = generation
    this.#db = new DatabaseSync(join(root, 'runtime.sqlite'))
    this.#db.exec('PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF;')
    createRuntimeTables(this.#db, generation)
    this.#db.exec("INSERT INTO session_catalog_state VALUES ('catalog', '00000000000000000000000000000000', 0, 0); BEGIN")
  }

  session(header, lastMessageAt) {
    const { backend, createdAt, id, isArchived, llmConnectionSlug, model, name } = header
    this.#insert('session_metadata', {
      session_id: id,
      payload_json: JSON.stringify({ ...header, lastMessageAt }),
      created_at: createdAt,
      last_message_at: lastMessageAt,
      name,
      is_flagged: 0,
      is_archived: Number(isArchived),
      has_unread: 0,
      backend,
      llm_connection_slug: llmConnectionSlug,
      model,
      metadata_version: 1,
      committed_at: lastMessageAt,
    })
    this.#insert('session_catalog_projection', {
      session_id: id,
      activity_at: lastMessageAt,
      last_message_at: lastMessageAt,
      is_archived: Number(isArchived),
      is_flagged: 0,
    })
  }

  event(sessionId, ordinal, { id, invocationId, runId, turnId, seq, kind, json, ts }) {
    this.#insert('runtime_events', {
      event_id: id,
      session_id: sessionId,
      invocation_id: invocationId,
      run_id: runId,
      turn_id: turnId,
      event_seq: seq,
      event_kind: kind,
      payload_json: json,
      committed_at: ts,
    })
    this.#insert('runtime_session_event_ordinals', { session_id: sessionId, ordinal, event_id: id })
  }

  run(sessionId, { runId, createdAt, json }) {
    const row = { session_id: sessionId, run_id: runId, created_at: createdAt }
    this.#insert('core_agent_runs', this.#generation === 'headers' ? { ...row, record_json: json } : row)
  }

  stream(sessionId, { key, runId, invocationId, turnId, afterEventId, json, segments }, updatedAt) {
    this.#insert('runtime_partial_snapshots', {
      stream_key: key,
      session_id: sessionId,
      invocation_id: invocationId,
      run_id: runId,
      turn_id: turnId,
      after_event_id: afterEventId,
      payload_json: json,
      text_content: '',
      updated_at: updatedAt,
    })
    segments.forEach((text, index) => {
      this.#insert('runtime_partial_segments', {
        stream_key: key,
        segment_seq: index + 1,
        text_content: text,
        updated_at: updatedAt,
      })
    })
  }

  message(sessionId, sequence, record) {
    const json = JSON.stringify(record)
    const bytes = Buffer.from(json)
    const chunked = CHUNK_BYTES < bytes.length
    this.#insert('session_messages', {
      session_id: sessionId,
      sequence,
      message_id: record.id,
      message_type: record.type,
      message_ts: record.ts,
      record_json: chunked ? CHUNK_MARKER : json,
    })
    if (!chunked) return
    const place = { session_id: sessionId, sequence }
    this.#insert('session_message_payloads', { ...place, record_bytes: bytes.length, sha256: sha256(bytes) })
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
      const data = bytes.subarray(start, start + CHUNK_BYTES)
      this.#insert('session_message_chunks', { ...place, chunk_index: start / CHUNK_BYTES, data, sha256: sha256(data) })
    }
  }

  artifact({ id, sessionId, name, mimeType, bytes, createdAt }) {
    const relativePath = `${sessionId}/${id}-${name}`
    const source = 'user_upload'
    const record = { id, sessionId, createdAt, name, kind: 'image', relativePath, mimeType, source, sizeBytes: bytes }
    const row = {
      artifact_id: id,
      session_id: sessionId,
      created_at: createdAt,
      relative_path: relativePath,
      record_json: JSON.stringify(record),
    }
    const old = { ...row, storage_key: sha256(JSON.stringify(id)), status: 'live' }
    this.#insert('artifact_records', this.#generation === 'headers' ? old : row)
  }

  close() {
    this.#db.exec('COMMIT; PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL; PRAGMA wal_checkpoint(TRUNCATE);')
    this.#db.close()
  }

  #insert(table, row) {
    const columns = Object.keys(row)
    const key = `${table} ${columns.length}`
    let statement = this.#statements.get(key)
    if (statement === undefined) {
      const places = columns.map(() => '?').join(', ')
      statement = this.#db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`)
      this.#statements.set(key, statement)
    }
    statement.run(...Object.values(row))
    this.#rows += 1
    if (this.#rows % ROWS_PER_TRANSACTION === 0) this.#db.exec('COMMIT; BEGIN')
  }
}

function sha256(data) {
  return createHash('sha256').update(data).digest('hex')
}
