// Stored JSON: rows as events and invocations. What a row says has to agree with
// its columns, or the Session is not shown.

import { Unreadable } from './project.js'

const MESSAGE_TYPES = new Set([
  'user',
  'assistant',
  'tool_call',
  'tool_result',
  'permission_decision',
  'token_usage',
  'turn_state',
  'system_note',
  'workhub_coordination',
  'form_interaction',
  'workhub_evidence',
  'workhub_evidence_resolution',
])

/** An event whose columns say the same as its payload. */
export function decodeEvent(row, sessionId) {
  const event = parseObject(row.payload_json, `event ${row.event_id}`)
  const same =
    event.id === row.event_id &&
    event.sessionId === sessionId &&
    event.invocationId === row.invocation_id &&
    event.runId === row.run_id &&
    event.turnId === row.turn_id &&
    Number.isFinite(event.ts)
  if (!same) throw new Unreadable(`event ${row.event_id} is not what its row says`)
  return event
}

/** A stream that cannot be decoded is as good as none: it is text on its way. */
export function decodeStream(row, sessionId) {
  const event = parseOr(row.payload_json, undefined)
  const same =
    event?.sessionId === sessionId &&
    event.invocationId === row.invocation_id &&
    event.runId === row.run_id &&
    event.turnId === row.turn_id &&
    typeof event.id === 'string' &&
    Number.isFinite(event.ts)
  if (!same) return undefined
  if (event.content === undefined) return event
  return { ...event, content: { ...event.content, text: row.text } }
}

/** A stored message of a Session that was never converted. Throws {@link Unreadable}. */
export function decodeMessage(json, sequence) {
  const message = parseObject(json, `record ${sequence}`)
  const { type, id, ts, toolName, toolUseId } = message
  const isMessage = MESSAGE_TYPES.has(type) && typeof id === 'string' && Number.isFinite(ts)
  const isCall = type !== 'tool_call' || typeof toolName === 'string'
  const isResult = type !== 'tool_result' || typeof toolUseId === 'string'
  if (!isMessage || !isCall || !isResult) throw new Unreadable(`record ${sequence} is no message`)
  return message
}

/** An invocation of the ledger or of the shelf. */
export function invocationOf(row, openedAt, opening) {
  if (opening === null || typeof opening !== 'object') throw new Unreadable(`run ${row.run_id} opens with nothing`)
  return { invocationId: row.invocation_id, runId: row.run_id, turnId: row.turn_id, openedAt, opening }
}

/** A run header of the headers generation, as the opening it stands for. */
export function invocationOfHeader(row) {
  const header = parseObject(row.record_json, `run ${row.run_id}`)
  const continued = header.continuationSource !== undefined && header.continuationSource !== null
  return {
    invocationId: header.invocationId ?? row.run_id,
    runId: row.run_id,
    turnId: header.turnId,
    openedAt: row.created_at,
    opening: {
      kind: 'invocation_opened',
      route: { modelId: header.modelId },
      source: { kind: continued ? 'continuation' : 'fresh' },
      lineage: { parentRunId: header.parentRunId, agentId: header.agentId },
    },
  }
}

/** JSON that has to be an object or an array. Throws {@link Unreadable}. */
export function parseObject(json, what) {
  const value = parseOr(json, undefined)
  if (value === null || typeof value !== 'object') throw new Unreadable(`${what} is no JSON object`)
  return value
}

/** JSON that may be anything. */
export function parseOr(json, fallback) {
  try {
    return JSON.parse(json)
  } catch {
    return fallback
  }
}
