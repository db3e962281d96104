// Sessions from before the ledger: their stored messages are turned into
// events, in memory, as the host does on its first read.

import { createHash } from 'node:crypto'

import { compareCodePoints } from './fold.js'
import { isEnded, isInline } from './order.js'
import { Unreadable } from './project.js'

const PAGE_ROWS = 256
const PAGE_BYTES = 4 * 1024 * 1024
/** Notes of the runtime itself; other notes are of the user interface and have no event. */
const RUNTIME_NOTES = new Set([
  'context_compacted',
  'context_compaction_failed_open',
  'step_limit',
  'error',
  'abort',
])

/**
 * Adds the converted turns to the runs of a Session and numbers all its events
 * anew. `records`: `{sequence, bytes, message}` in order. `runs`: every run of
 * the ledger, as for `orderEvents`, children included.
 */
export function convert(session, records, runs) {
  const known = new Map(runs.map((run) => [run.runId, run]))
  const owned = new Set(
    runs
      .filter((run) => isInline(run) && (isEnded(run) || run.runId !== runIdOf(session.id, run.turnId)))
      .map((run) => run.turnId),
  )
  const highWater = records.at(-1)?.sequence ?? 0
  const converted = []
  for (const turn of turnsOf(records)) {
    if (owned.has(turn.turnId) || !turn.records.some(({ message }) => message.type === 'user')) continue
    owned.add(turn.turnId)
    if (session.model === undefined || session.model === '') {
      throw new Unreadable(`Session ${session.id} names no model`)
    }
    const openedAt = Math.max(0, session.createdAt - 1 - (highWater - turn.records[0].sequence))
    converted.push(convertTurn(session, turn, openedAt, known.get(runIdOf(session.id, turn.turnId))))
  }
  const replaced = new Set(converted.map((run) => run.runId))
  return renumber([...runs.filter((run) => !replaced.has(run.runId)), ...converted])
}

/** The converter's own run of a turn. */
function runIdOf(sessionId, turnId) {
  return `transcript-${createHash('sha256').update(`${sessionId}\u0000${turnId}`).digest('hex').slice(0, 48)}`
}

/**
 * Records by turn, in the order of their first record. Pages bound the memory
 * of the host; a turn that goes on behind another one on a later page is seen
 * as a second turn there.
 */
function turnsOf(records) {
  const turns = []
  let carried
  for (const page of pagesOf(records)) {
    const groups = new Map()
    if (carried !== undefined) groups.set(carried.turnId, carried)
    for (const record of page) {
      const { type, turnId, steeringEventId } = record.message
      if (typeof turnId !== 'string' || (type === 'user' && steeringEventId !== undefined)) continue
      if (!groups.has(turnId)) groups.set(turnId, { turnId, records: [] })
      groups.get(turnId).records.push(record)
    }
    const list = [...groups.values()]
    carried = list.pop()
    turns.push(...list)
  }
  return carried === undefined ? turns : [...turns, carried]
}

function pagesOf(records) {
  const pages = []
  let page = []
  let bytes = 0
  for (const record of records) {
    if (page.length === PAGE_ROWS || (0 < page.length && PAGE_BYTES < bytes + record.bytes)) {
      pages.push(page)
      page = []
      bytes = 0
    }
    page.push(record)
    bytes += record.bytes
  }
  return 0 < page.length ? [...pages, page] : pages
}

function convertTurn(session, { turnId, records }, openedAt, begun) {
  const runId = runIdOf(session.id, turnId)
  const events = [...(begun?.events ?? [])]
  const done = new Set(events.map(({ event }) => event.refs?.storedMessageId).filter((id) => id !== undefined))
  let number = events.filter(({ event }) => event.content?.kind !== 'invocation_opened').length
  const emit = (fields) => {
    number += 1
    const identity = { sessionId: session.id, invocationId: runId, runId, turnId, partial: false }
    events.push({ event: { ...identity, id: `${runId}-e${number}`, ...fields } })
  }
  const byTime = [...records].sort((left, right) => left.message.ts - right.message.ts)
  const toolNames = new Map(
    byTime.filter(({ message }) => message.type === 'tool_call').map(({ message }) => [message.id, message.toolName]),
  )
  for (const { message } of byTime) {
    if (done.has(message.id)) continue
    if (session.external && !isConversation(message)) continue
    for (const fields of eventsOf(message, toolNames, session.external)) emit(fields)
  }
  emit(endOf(byTime, openedAt))
  return {
    sessionId: session.id,
    invocationId: runId,
    runId,
    turnId,
    openedAt,
    opening: { kind: 'invocation_opened', route: { modelId: session.model }, source: { kind: 'fresh' } },
    events,
    streams: begun?.streams ?? [],
  }
}

/** All that is taken over from another program. */
function isConversation(message) {
  return message.type === 'user' || (message.type === 'assistant' && message.text !== '')
}

function eventsOf(message, toolNames, external) {
  const { ts } = message
  const refs = { storedMessageId: message.id }
  switch (message.type) {
    case 'user': {
      const { text, displayText, attachments } = message
      return [{ ts, role: 'user', refs, content: { kind: 'text', text, displayText, attachments } }]
    }
    case 'assistant': {
      const thoughts = external ? [] : thoughtsOf(message)
      return [message.text, ...thoughts].map((text, index) => ({
        ts,
        role: 'model',
        refs,
        content: { kind: index === 0 ? 'text' : 'thinking', text },
      }))
    }
    case 'tool_call': {
      const { id, toolName: name, args, intent } = message
      const content = { kind: 'function_call', id, name, args }
      return [{ ts, role: 'model', refs: { ...refs, toolCallId: id }, content, actions: { stateDelta: { intent } } }]
    }
    case 'tool_result': {
      const { toolUseId: id, isError, content: result } = message
      const content = { kind: 'function_response', id, name: toolNames.get(id) ?? '', result, isError }
      return [{ ts, role: 'tool', refs: { ...refs, toolCallId: id }, content }]
    }
    case 'permission_decision': {
      const { id: requestId, toolUseId, toolName, decision } = message
      const actions = { permissionDecision: { requestId, decision, toolName } }
      return [{ ts, role: 'system', refs: { ...refs, toolCallId: toolUseId }, actions }]
    }
    case 'token_usage':
      return [{ ts, role: 'system', refs, actions: { tokenUsage: { input: message.input, output: message.output } } }]
    case 'system_note':
      if (!RUNTIME_NOTES.has(message.kind)) return []
      return [{ ts, role: 'system', refs, content: { kind: 'system_note', note: message.kind } }]
    default:
      return []
  }
}

function thoughtsOf({ thinking }) {
  if (thinking === undefined || thinking === null) return []
  return Array.isArray(thinking.parts) ? thinking.parts.map((part) => part.text) : [thinking.text]
}

/** The last recorded state of the turn ends it; a turn without one has failed. */
function endOf(byTime, openedAt) {
  const state = byTime.filter(({ message }) => message.type === 'turn_state').at(-1)?.message
  if (state === undefined) {
    const ts = Math.max(openedAt, ...byTime.map(({ message }) => message.ts))
    return terminal(ts, 'failed', 'missing_terminal_event')
  }
  const refs = { storedMessageId: state.id }
  const known = ['completed', 'failed', 'aborted'].includes(state.status)
  return { ...terminal(state.ts, known ? state.status : 'cancelled', state.errorClass), refs }
}

function terminal(ts, status, errorClass) {
  const stateDelta = status === 'failed' ? { failureClass: errorClass } : {}
  return { ts, role: 'system', status, actions: { endInvocation: true, stateDelta } }
}

/** Ordinals anew: by the opening of the run, the run, and the order so far. */
function renumber(runs) {
  const places = runs.flatMap((run) =>
    run.events.map((entry) => ({
      entry,
      openedAt: run.openedAt,
      invocationId: run.invocationId,
      ordinal: entry.ordinal ?? Infinity,
    })),
  )
  places.sort(
    (left, right) =>
      left.openedAt - right.openedAt ||
      compareCodePoints(left.invocationId, right.invocationId) ||
      (left.ordinal === right.ordinal ? 0 : left.ordinal - right.ordinal),
  )
  const ordinals = new Map(places.map(({ entry }, index) => [entry, index + 1]))
  return runs.map((run) => ({
    ...run,
    events: run.events.map((entry) => ({ ...entry, ordinal: ordinals.get(entry) })),
  }))
}
