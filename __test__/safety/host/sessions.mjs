// The headers of Sessions: made, changed, removed, revised.

import { canonical } from './database.mjs'

/** A Session; `ledger: false` is one of before the ledger, `ledger: 0` an import that is being staged. */
export function createSession(host, { sessionId, name, workspaceRoot = '/home/dev', ledger = 1, ...rest }) {
  const at = host.now()
  const version = ledger === false ? {} : { transcriptLedgerVersion: ledger }
  const header = {
    id: sessionId, workspaceRoot, cwd: '/home/dev', createdAt: at, name, titleIsManual: false, isFlagged: false, labels: [],
    isArchived: false, status: 'active', statusUpdatedAt: at, hasUnread: false, backend: 'ai-sdk', llmConnectionSlug: 'c',
    connectionLocked: false, model: 'model-a', permissionMode: 'ask', collaborationMode: 'agent', orchestrationMode: 'default',
    schemaVersion: 1, ...version, lastMessageAt: at, ...rest,
  }
  host.insert('session_metadata', { session_id: sessionId, created_at: at, metadata_version: 1, ...columns(header), committed_at: at })
  host.insert('session_catalog_projection', { session_id: sessionId, activity_at: at, last_message_at: at, is_archived: 0, is_flagged: 0 })
  moveCatalog(host)
}

export function rename(host, { sessionId, name }) {
  changeHeader(host, sessionId, { name, titleIsManual: true })
}

export function archive(host, { sessionId, isArchived = true }) {
  changeHeader(host, sessionId, { isArchived })
}

/** The Session was active just now. */
export function touch(host, { sessionId }) {
  changeHeader(host, sessionId, { lastMessageAt: host.now() })
}

/** The header goes, with what hangs on it; the events stay for now. */
export function remove(host, { sessionId }) {
  host.run('DELETE FROM session_metadata WHERE session_id = ?', sessionId)
  moveCatalog(host)
}

/** The events of a removed Session go, later. */
export function purge(host, { sessionId }) {
  for (const table of ['runtime_partial_snapshots', 'runtime_events', 'core_agent_runs']) {
    host.run(`DELETE FROM ${table} WHERE session_id = ?`, sessionId)
  }
}

/** Edit and resend: a new Session of the same family, with the events of the old one but the last turn. */
export function revise(host, { sessionId, revisionId, name }) {
  const { payload_json } = host.row('SELECT payload_json FROM session_metadata WHERE session_id = ?', sessionId)
  const parent = JSON.parse(payload_json)
  const root = parent.revisionRootSessionId ?? sessionId
  createSession(host, { sessionId: revisionId, name, revisionRootSessionId: root, revisionParentSessionId: sessionId, revisionState: 'ready' })
  const events = host.rows(
    `SELECT e.*, o.ordinal FROM runtime_events e JOIN runtime_session_event_ordinals o USING (event_id)
     WHERE e.session_id = ? ORDER BY o.ordinal`,
    sessionId,
  )
  const lastTurn = events.at(-1)?.turn_id
  const renamed = (id) => `${revisionId}-${id}`
  for (const { ordinal, ...row } of events.filter((event) => event.turn_id !== lastTurn)) {
    const event = JSON.parse(row.payload_json)
    const names = { event_id: renamed(row.event_id), session_id: revisionId, invocation_id: renamed(row.invocation_id), run_id: renamed(row.run_id) }
    const [id, invocationId, runId] = [names.event_id, names.invocation_id, names.run_id]
    host.insert('runtime_events', { ...row, ...names, payload_json: canonical({ ...event, id, sessionId: revisionId, invocationId, runId }) })
    host.insert('runtime_session_event_ordinals', { session_id: revisionId, ordinal, event_id: id })
  }
  if (host.generation === 'openings') return
  for (const run of host.rows('SELECT * FROM core_agent_runs WHERE session_id = ?', sessionId)) {
    const record = JSON.parse(run.record_json)
    if (record.turnId === lastTurn) continue
    const runId = renamed(run.run_id)
    const json = JSON.stringify({ ...record, runId, invocationId: renamed(record.invocationId), sessionId: revisionId })
    host.insert('core_agent_runs', { ...run, session_id: revisionId, run_id: runId, record_json: json })
  }
}

/** Writes a header anew, its columns with it. */
export function changeHeader(host, sessionId, changes) {
  const { payload_json } = host.row('SELECT payload_json FROM session_metadata WHERE session_id = ?', sessionId)
  const header = { ...JSON.parse(payload_json), ...changes }
  const row = { ...columns(header), committed_at: host.now() }
  const places = Object.keys(row).map((column) => `${column} = ?`)
  host.run(
    `UPDATE session_metadata SET ${places.join(', ')}, metadata_version = metadata_version + 1 WHERE session_id = ?`,
    ...Object.values(row), sessionId,
  )
  host.run(
    'UPDATE session_catalog_projection SET activity_at = ?, last_message_at = ?, is_archived = ? WHERE session_id = ?',
    header.lastMessageAt, header.lastMessageAt, Number(header.isArchived), sessionId,
  )
  moveCatalog(host)
}

function columns(header) {
  return {
    payload_json: JSON.stringify(header), last_message_at: header.lastMessageAt, name: header.name, is_flagged: 0,
    is_archived: Number(header.isArchived), has_unread: 0, backend: header.backend, llm_connection_slug: header.llmConnectionSlug,
    model: header.model, revision_root_session_id: header.revisionRootSessionId ?? null,
  }
}

/** What the host's triggers do on every change of a header. */
function moveCatalog(host) {
  host.run("UPDATE session_catalog_state SET generation = generation + 1 WHERE scope = 'catalog'")
}
