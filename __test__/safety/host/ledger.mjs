// What a turn writes: its run, its events, the text that is still arriving, and
// the answers to requests for permission.

import { canonical, sha256 } from './database.mjs'

const MODEL = 'model-a'
/** Text is appended to a segment up to this size, then a new one begins. */
const SEGMENT_BYTES = 65_536

/** A turn from question to answer: `{user, assistant, tool?, attachments?}`. */
export function appendTurn(host, { sessionId, ...said }) {
  startTurn(host, { sessionId, ...said })
  const run = openRun(host, sessionId)
  if (said.tool !== undefined) append(host, run, ...toolEvents(host, said.tool))
  append(host, run, modelText(host.id('m'), said.assistant))
  endTurn(host, { sessionId })
}

/** The beginning of a turn: its run, and what the person said. */
export function startTurn(host, { sessionId, user, attachments }) {
  const run = { sessionId, runId: host.id('r'), invocationId: host.id('i'), turnId: host.id('t') }
  beginRun(host, run, host.now())
  const content = attachments === undefined ? { kind: 'text', text: user } : { attachments, kind: 'text', text: user }
  append(host, run, { role: 'user', author: 'user', content, refs: { storedMessageId: host.id('u') } })
}

/** More text of the answer arrives: a segment grows in place, or a new one begins. */
export function delta(host, { sessionId, text, segmentBytes = SEGMENT_BYTES }) {
  const run = openRun(host, sessionId)
  const stream = streamOf(host, run) ?? beginStream(host, run)
  const now = host.now()
  const last = host.row('SELECT segment_seq, text_content FROM runtime_partial_segments WHERE stream_key = ? ORDER BY segment_seq DESC', stream)
  if (last !== undefined && Buffer.byteLength(last.text_content) + Buffer.byteLength(text) <= segmentBytes) {
    host.run(
      'UPDATE runtime_partial_segments SET text_content = text_content || ?, updated_at = ? WHERE stream_key = ? AND segment_seq = ?',
      text, now, stream, last.segment_seq,
    )
  } else {
    host.insert('runtime_partial_segments', { stream_key: stream, segment_seq: 1 + (last?.segment_seq ?? 0), text_content: text, updated_at: now })
  }
  host.run('UPDATE runtime_partial_snapshots SET updated_at = ? WHERE stream_key = ?', now, stream)
}

/** The arriving text is complete: an event takes the place of the stream. */
export function settle(host, { sessionId }) {
  const run = openRun(host, sessionId)
  const stream = streamOf(host, run)
  const { payload_json } = host.row('SELECT payload_json FROM runtime_partial_snapshots WHERE stream_key = ?', stream)
  const segments = host.rows('SELECT text_content FROM runtime_partial_segments WHERE stream_key = ? ORDER BY segment_seq', stream)
  const text = segments.map(({ text_content }) => text_content).join('')
  append(host, run, modelText(JSON.parse(payload_json).refs.providerEventId, text))
  host.run('DELETE FROM runtime_partial_snapshots WHERE stream_key = ?', stream)
}

/** The run ends well. */
export function endTurn(host, { sessionId }) {
  const run = openRun(host, sessionId)
  const end = { role: 'system', author: 'system', status: 'completed', actions: { endInvocation: true, stateDelta: { stopReason: 'end_turn' } } }
  append(host, run, end)
  if (host.generation === 'openings') return
  const record = JSON.parse(host.row('SELECT record_json FROM core_agent_runs WHERE run_id = ?', run.runId).record_json)
  host.run('UPDATE core_agent_runs SET record_json = ? WHERE run_id = ?', JSON.stringify({ ...record, status: 'completed' }), run.runId)
}

/** A tool call whose permission was granted, by an answer that is not recorded yet. */
export function acceptPermission(host, { sessionId }) {
  const run = openRun(host, sessionId)
  const [requestId, toolCallId] = [host.id('p'), host.id('c')]
  const call = { kind: 'function_call', id: toolCallId, name: 'Bash', args: { command: 'true' } }
  append(host, run, { role: 'model', author: 'agent', content: call, refs: { toolCallId } })
  const { turnId, runId } = run
  const names = { session_id: sessionId, turn_id: turnId, run_id: runId }
  const record = { requestId, sessionId, turnId, runId, kind: 'permission', toolUseId: toolCallId, toolName: 'Bash' }
  host.insert('core_interaction_requests', { request_id: requestId, ...names, request_kind: 'permission', created_at: host.now(), record_json: JSON.stringify(record) })
  append(host, run, { role: 'system', author: 'system', actions: { permissionAnswerAccepted: { requestId } }, refs: { toolCallId } })
  return requestId
}

/** The answer is recorded: the Session can be read from now on. */
export function recordOutcome(host, { requestId }) {
  const outcome = { kind: 'permission_answer', reviewer: 'user', decision: 'allow', rememberForTurn: false, committedAt: host.now() }
  host.insert('core_interaction_outcomes', { request_id: requestId, record_json: JSON.stringify({ requestId, outcome }) })
}

/** Writes the opening of a run, or its header. */
export function beginRun(host, run, at, { model = MODEL, openingId } = {}) {
  const { sessionId, runId, invocationId, turnId } = run
  const row = { session_id: sessionId, run_id: runId, created_at: at }
  if (host.generation === 'headers') {
    const record = { runId, invocationId, sessionId, turnId, status: 'running', backendKind: 'ai-sdk', modelId: model, createdAt: at, updatedAt: at }
    host.insert('core_agent_runs', { ...row, record_json: JSON.stringify(record) })
    return
  }
  host.insert('core_agent_runs', row)
  const content = {
    kind: 'invocation_opened',
    protocol: 'invocation_opened_v1',
    route: { provenance: 'runtime', backendKind: 'ai-sdk', llmConnectionId: 'c', llmConnectionSlug: 'c', modelId: model },
    configuration: { cwd: '/home/dev', permissionMode: 'ask', collaborationMode: 'agent', orchestrationMode: 'default', orchestrationSource: 'session', toolMode: 'direct' },
    root: { kind: 'user' },
    source: { kind: 'fresh' },
  }
  append(host, run, { id: openingId, ts: at, role: 'system', author: 'system', modelVisibility: 'hidden', content })
}

/** Appends events to a run, each with the next ordinal of its Session. */
export function append(host, run, ...events) {
  const { sessionId, runId, invocationId, turnId } = run
  for (const { id = host.id('e'), ts = host.now(), ...fields } of events) {
    const { seq } = host.row('SELECT coalesce(max(event_seq), 0) + 1 AS seq FROM runtime_events WHERE invocation_id = ?', invocationId)
    const event = { id, invocationId, runId, sessionId, turnId, ts, partial: false, ...fields }
    host.insert('runtime_events', {
      event_id: id, session_id: sessionId, invocation_id: invocationId, run_id: runId, turn_id: turnId, event_seq: seq,
      event_kind: kindOf(event), payload_json: canonical(event), committed_at: ts,
    })
    const { ordinal } = host.row('SELECT coalesce(max(ordinal), 0) + 1 AS ordinal FROM runtime_session_event_ordinals WHERE session_id = ?', sessionId)
    host.insert('runtime_session_event_ordinals', { session_id: sessionId, ordinal, event_id: id })
  }
}

/** Whether a turn of the Session is running, and whether its text is arriving. */
export function turnState(host, { sessionId }) {
  const run = findOpenRun(host, sessionId)
  return { open: run !== undefined, arriving: run !== undefined && streamOf(host, run) !== undefined }
}

function kindOf({ content, status, actions = {} }) {
  if (content?.kind ?? status) return content?.kind ?? status
  return actions.endInvocation ? 'invocation_end' : 'runtime_fact'
}

function modelText(providerEventId, text) {
  return { role: 'model', author: 'agent', content: { kind: 'text', text }, refs: { providerEventId } }
}

function toolEvents(host, { name, intent, result }) {
  const id = host.id('c')
  const refs = { toolCallId: id }
  return [
    { role: 'model', author: 'agent', content: { kind: 'function_call', id, name, args: {} }, refs, actions: { stateDelta: { intent } } },
    { role: 'tool', author: 'tool', content: { kind: 'function_response', id, name, result }, refs },
  ]
}

function openRun(host, sessionId) {
  const run = findOpenRun(host, sessionId)
  if (run === undefined) throw new Error(`no turn of ${sessionId} is running`)
  return run
}

/** The newest run of a Session that has no end. */
function findOpenRun(host, sessionId) {
  const begun = host.generation === 'headers'
    ? `SELECT record_json ->> '$.invocationId' AS invocationId, run_id AS runId, record_json ->> '$.turnId' AS turnId, created_at AS at
       FROM core_agent_runs WHERE session_id = ?`
    : `SELECT invocation_id AS invocationId, run_id AS runId, turn_id AS turnId, committed_at AS at
       FROM runtime_events WHERE session_id = ? AND event_kind = 'invocation_opened'`
  const run = host.row(
    `SELECT invocationId, runId, turnId FROM (${begun}) WHERE NOT EXISTS (
       SELECT 1 FROM runtime_events WHERE invocation_id = invocationId AND event_kind IN ('completed', 'failed', 'aborted')
     ) ORDER BY at DESC, runId DESC`,
    sessionId,
  )
  return run && { sessionId, ...run }
}

/** The key of the stream that a run has, if any. */
function streamOf(host, { sessionId, runId }) {
  return host.row('SELECT stream_key FROM runtime_partial_snapshots WHERE session_id = ? AND run_id = ?', sessionId, runId)?.stream_key
}

function beginStream(host, run) {
  const { sessionId, runId, invocationId, turnId } = run
  const providerEventId = host.id('m')
  const names = { sessionId, invocationId, runId, turnId }
  const key = sha256(JSON.stringify([`text:provider:${providerEventId}`, sessionId, invocationId, runId, turnId, null, 'model', 'agent']))
  const event = { id: host.id('e'), ...names, ts: host.now(), ...modelText(providerEventId, ''), partial: true }
  const after = host.row('SELECT event_id FROM runtime_events WHERE session_id = ? AND run_id = ? ORDER BY event_seq DESC', sessionId, runId)
  host.insert('runtime_partial_snapshots', {
    stream_key: key, session_id: sessionId, invocation_id: invocationId, run_id: runId, turn_id: turnId,
    after_event_id: after?.event_id ?? null, payload_json: JSON.stringify(event), text_content: '', updated_at: host.now(),
  })
  return key
}
