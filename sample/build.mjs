// Writes the sample workspace: `node sample/build.mjs`.
//
// The same rows and files each time: no clock, no random ids. What is written
// is what the host of the openings generation would have left behind, with the
// journal closed, so that the files can be committed and read in place.

import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

import { createMemoryTables, createRuntimeTables } from '../bench/workspace/schema.mjs'
import { Ledger, MODEL, STEP_MS } from './ledger.mjs'
import { screenshot } from './screenshot.mjs'
import { DEPLOY_LIST, FACTS, PROJECT, SESSIONS, STAGING, UNCONVERTED } from './sessions.mjs'

const FILES = { art_settings_shot: screenshot(), art_deploy_list: Buffer.from(DEPLOY_LIST) }

const here = dirname(fileURLToPath(import.meta.url))
if (process.argv[1] === fileURLToPath(import.meta.url)) build(join(here, 'workspace'))

/**
 * Writes the workspace into `root`, in place of what is there.
 *
 * @param {string} root
 */
export function build(root) {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(root, { recursive: true })
  write(join(root, 'runtime.sqlite'), (db) => {
    createRuntimeTables(db, 'openings')
    db.exec('BEGIN')
    writeVersions(db)
    for (const session of SESSIONS) writeSession(db, session, root)
    for (const session of [UNCONVERTED, STAGING]) writeRows(db, session)
    db.exec('COMMIT')
  })
  write(join(root, 'memory.sqlite'), (db) => {
    createMemoryTables(db)
    for (const fact of FACTS) writeFact(db, fact)
  })
}

function write(path, fill) {
  const db = new DatabaseSync(path)
  // Small pages: the many empty tables take a page each.
  db.exec('PRAGMA page_size = 1024; PRAGMA journal_mode = DELETE;')
  fill(db)
  db.exec('VACUUM')
  db.close()
}

function writeVersions(db) {
  const at = Date.parse('2026-09-01T00:00:00Z')
  const scopes = { runtime: 16, session_metadata: 40, core_execution: 8, workflow: 9, usage: 5, artifact: 4, operational: 2 }
  for (const [scope, version] of Object.entries(scopes)) insert(db, 'operational_schema_migrations', { scope, version, applied_at: at })
  insert(db, 'session_metadata_schema', { scope: 'session_metadata', version: 40 })
  const generation = SESSIONS.length + 2
  insert(db, 'session_catalog_state', { scope: 'catalog', epoch: '5a'.repeat(16), generation, pending_writes: 0 })
}

/** A Session in the ledger: its header, and the events of one run a turn. */
function writeSession(db, session, root) {
  const createdAt = Date.parse(session.at)
  const ledger = new Ledger(session.id, createdAt)
  session.turns.forEach((turn, index) => {
    ledger.open(index)
    const files = (turn.attachments ?? []).map((file) => ({ ...file, bytes: FILES[file.id].length }))
    ledger.say('user', turn.user, files)
    for (const step of turn.steps ?? []) ledger.step(step)
    ledger.say('model', turn.answer, [])
    ledger.end()
    for (const file of files) writeArtifact(db, { file, sessionId: session.id, turnId: ledger.turnId, at: ledger.ts, root })
  })
  writeHeader(db, session, { lastMessageAt: ledger.ts, transcriptLedgerVersion: 1 })
  ledger.events.forEach((event, index) => {
    const { id, invocationId, runId, turnId, ts } = event
    insert(db, 'runtime_events', {
      event_id: id,
      session_id: session.id,
      invocation_id: invocationId,
      run_id: runId,
      turn_id: turnId,
      event_seq: ledger.sequences[index],
      event_kind: event.content?.kind ?? event.status,
      payload_json: canonical(event),
      committed_at: ts,
    })
    insert(db, 'runtime_session_event_ordinals', { session_id: session.id, ordinal: index + 1, event_id: id })
  })
}

/** A Session of before the ledger: message rows. */
function writeRows(db, session) {
  const createdAt = Date.parse(session.at)
  const turnId = `turn-${session.id}`
  const staging = session === STAGING ? { transcriptLedgerVersion: 0 } : {}
  const last = createdAt + session.rows.length * STEP_MS
  writeHeader(db, session, { lastMessageAt: last, ...staging })
  session.rows.forEach((row, sequence) => {
    const ts = createdAt + (sequence + 1) * STEP_MS
    const { type, ...fields } = row
    const record = { type, id: `${session.id}-${sequence}`, turnId, ts, ...fields }
    if (type === 'assistant') record.modelId = MODEL
    if (type === 'tool_call') record.id = `${session.id}-call`
    if (type === 'tool_result') Object.assign(record, { toolUseId: `${session.id}-call`, isError: false })
    if (type === 'turn_state') record.partialOutputRetained = false
    const columns = { session_id: session.id, sequence, message_id: record.id, message_type: type, message_ts: ts }
    insert(db, 'session_messages', { ...columns, record_json: JSON.stringify(record) })
  })
}

function writeHeader(db, { id, name, at, archived = false }, { lastMessageAt, ...rest }) {
  const createdAt = Date.parse(at)
  const header = {
    id,
    workspaceRoot: PROJECT,
    cwd: PROJECT,
    createdAt,
    name,
    titleIsManual: false,
    isFlagged: false,
    labels: [],
    isArchived: archived,
    status: 'active',
    statusUpdatedAt: createdAt,
    hasUnread: false,
    backend: 'ai-sdk',
    llmConnectionSlug: 'lantern',
    connectionLocked: false,
    model: MODEL,
    permissionMode: 'ask',
    collaborationMode: 'agent',
    orchestrationMode: 'default',
    schemaVersion: 1,
    ...rest,
    lastMessageAt,
  }
  insert(db, 'session_metadata', {
    session_id: id,
    payload_json: JSON.stringify(header),
    created_at: createdAt,
    last_message_at: lastMessageAt,
    name,
    is_flagged: 0,
    is_archived: Number(archived),
    has_unread: 0,
    backend: header.backend,
    llm_connection_slug: header.llmConnectionSlug,
    model: MODEL,
    metadata_version: 2,
    committed_at: lastMessageAt,
  })
  const projection = { session_id: id, activity_at: lastMessageAt, last_message_at: lastMessageAt, is_archived: Number(archived), is_flagged: 0 }
  insert(db, 'session_catalog_projection', projection)
}

function writeArtifact(db, { file, sessionId, turnId, at, root }) {
  const { id, name, kind, mimeType, bytes } = file
  const relativePath = `${sessionId}/${id}-${name}`
  const record = {
    id,
    sessionId,
    turnId,
    createdAt: at,
    name,
    kind: kind === 'image' ? 'image' : 'file',
    relativePath,
    mimeType,
    source: 'user_upload',
    sizeBytes: bytes,
  }
  insert(db, 'artifact_records', { artifact_id: id, session_id: sessionId, created_at: at, relative_path: relativePath, record_json: JSON.stringify(record) })
  insert(db, 'artifact_session_revisions', { session_id: sessionId, revision_token: sha256(relativePath) })
  const path = join(root, 'artifacts', relativePath)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, FILES[id])
}

function writeFact(db, { id, content, kind, keys, at, workspace = null, archived = false }) {
  const time = Date.parse(at)
  insert(db, 'memory_items', {
    item_id: id,
    version: 1,
    content,
    kind,
    statement_type: 'fact',
    temporal_type: 'undated',
    scope_type: workspace === null ? 'global' : 'workspace',
    scope_key: workspace,
    observed_at: time,
    lifecycle_state: archived ? 'archived' : 'active',
    origin: 'agent_extracted',
    content_hash: sha256(content),
    created_at: time,
    updated_at: time,
  })
  for (const key of keys) {
    const normalized = key.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase()
    insert(db, 'memory_item_keys', { item_id: id, key_text: key, normalized_key: normalized, key_type: 'concept', key_origin: 'llm' })
  }
}

function insert(db, table, row) {
  const columns = Object.keys(row)
  const places = columns.map(() => '?').join(', ')
  db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`).run(...Object.values(row))
}

/** JSON with sorted keys, as the ledger writes it. */
function canonical(value) {
  return JSON.stringify(value, (_key, inner) => {
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
  })
}

function sha256(text) {
  return createHash('sha256').update(text).digest('hex')
}
