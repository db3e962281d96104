// Events become messages. Events come in the order of the transcript
// (`order.js`); a message is a row, and its index is its `sequence`, so rows
// without any text count as well.

import { readResult } from './results.js'

const STEP_CAP = 'tool_step_cap_reached'
const ENDINGS = new Map([
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['aborted', 'aborted'],
  ['cancelled', 'aborted'],
])

/** A Session that cannot be shown: it is never shown in part. */
export class Unreadable extends Error {}

/** Whether an event ends its run. */
export function isTerminal(event) {
  return ENDINGS.has(event.status) || event.actions?.endInvocation === true
}

/** A pause hands the run over: it ends the run and is no end of the turn. */
export function isHandoffPause(event) {
  return event.actions?.endInvocation === true && isPresent(event.actions.handoffPause)
}

/** The status of a terminal event as the transcript says it. */
export function endingOf(event) {
  return ENDINGS.get(event.status)
}

/** The id that thinking and text of one provider message share. */
export function thoughtId(event) {
  return event.refs?.providerEventId ?? event.refs?.storedMessageId ?? event.id
}

/**
 * The rows of `events`. `openings`: opening content by run id. `outcomes`:
 * answered permission requests by request id. Throws {@link Unreadable}.
 */
export function project(events, openings, outcomes = new Map()) {
  const state = {
    rows: [],
    openings,
    outcomes,
    toolNames: new Map(),
    requests: new Map(),
    waiting: new Map(),
    texts: new Map(),
  }
  for (const event of events) {
    if (event.partial === true) continue
    projectContent(event, state)
    projectActions(event, state)
  }
  if (0 < state.waiting.size) throw new Unreadable('thinking without a message')
  return state.rows
}

function projectContent(event, state) {
  const { content } = event
  if (content === undefined || content === null) return
  switch (content.kind) {
    case 'text':
      projectText(event, state)
      break
    case 'thinking':
      projectThinking(event, state)
      break
    case 'function_call':
      projectCall(event, state)
      break
    case 'function_response':
      projectResponse(event, state)
      break
    case 'system_note':
      state.rows.push(row('system_note', event))
      break
    case 'invocation_opened':
    case 'injection':
      break
    case 'error':
      if (!isTerminal(event)) throw unreadable(event, 'an error that ends nothing')
      break
    default:
      throw unreadable(event, 'unknown content')
  }
}

function projectText(event, state) {
  const { content } = event
  if (typeof content.text !== 'string') throw unreadable(event, 'text is no string')
  if (event.role === 'user') {
    const user = row('user', event, { text: content.text })
    if (typeof content.displayText === 'string' && content.displayText !== content.text) {
      user.displayText = content.displayText
    }
    if (Array.isArray(content.attachments) && 0 < content.attachments.length) {
      user.attachments = content.attachments
    }
    state.rows.push(user)
    return
  }
  if (event.role !== 'model') throw unreadable(event, 'text of nobody')
  const modelId = state.openings.get(event.runId)?.route?.modelId
  if (typeof modelId !== 'string' || modelId === '') throw unreadable(event, 'no model is known')
  const assistant = row('assistant', event, { text: content.text })
  state.rows.push(assistant)
  const key = messageKey(assistant.id, assistant.turnId)
  state.texts.set(key, assistant)
  state.waiting.delete(key)
}

/** Thinking makes no row, but has to find the one it belongs to. */
function projectThinking(event, state) {
  const key = messageKey(thoughtId(event), event.turnId)
  if (!state.texts.has(key)) state.waiting.set(key, event.id)
}

function projectCall(event, state) {
  const id = callId(event)
  const { content } = event
  const delta = event.actions?.stateDelta
  const call = { type: 'tool_call', id, turnId: event.turnId, ts: event.ts, toolName: content.name }
  if (typeof delta?.intent === 'string') call.intent = delta.intent
  state.rows.push(call)
  state.toolNames.set(id, content.name)
}

function projectResponse(event, state) {
  const toolUseId = callId(event)
  const result = readResult(event.content.result)
  if (result === undefined) throw unreadable(event, 'unknown tool result')
  const { content, synthetic } = result
  const fields = { toolUseId, isError: event.content.isError === true, content }
  if (synthetic) fields.synthetic = true
  state.rows.push(row('tool_result', event, fields))
}

/** The id of a tool call; a call that is named only by its reference is not to be trusted. */
function callId(event) {
  const { id } = event.content
  if (typeof id !== 'string' || id === '') throw unreadable(event, 'a tool call without an id')
  return id
}

function projectActions(event, state) {
  const actions = event.actions ?? {}
  if (isPresent(actions.coordination)) {
    state.rows.push({ type: 'workhub_coordination', id: event.id, turnId: event.turnId, ts: event.ts })
  }
  if (isPresent(actions.permissionRequest)) {
    state.requests.set(actions.permissionRequest.requestId, actions.permissionRequest)
  }
  if (isPresent(actions.permissionAnswerAccepted)) projectAnswer(event, state)
  if (isPresent(actions.permissionDecision)) projectDecision(event, state)
  if (isPresent(actions.tokenUsage)) state.rows.push(row('token_usage', event))
  if (isTerminal(event) && !isHandoffPause(event)) projectEnding(event, state)
}

function projectAnswer(event, state) {
  const { requestId } = event.actions.permissionAnswerAccepted
  const outcome = state.outcomes.get(requestId)
  const toolUseId = event.refs?.toolCallId
  if (outcome === undefined || typeof toolUseId !== 'string') throw unreadable(event, 'an answer without its outcome')
  const identity = {
    sessionId: event.sessionId,
    runId: event.runId,
    turnId: event.turnId,
    toolUseId,
    toolName: state.toolNames.get(toolUseId),
  }
  for (const [key, value] of Object.entries(identity)) {
    if (outcome[key] !== undefined && value !== undefined && outcome[key] !== value) {
      throw unreadable(event, `an answer whose ${key} is another`)
    }
  }
  state.rows.push({ type: 'permission_decision', id: requestId, turnId: event.turnId, ts: outcome.committedAt })
}

function projectDecision(event, state) {
  const decision = event.actions.permissionDecision
  const request = state.requests.get(decision.requestId)
  const toolUseId = event.refs?.toolCallId ?? request?.toolUseId
  const names = new Set(
    [decision.toolName, request?.toolName, state.toolNames.get(toolUseId)].filter((name) => name !== undefined),
  )
  if (typeof toolUseId !== 'string' || names.size !== 1) throw unreadable(event, 'a decision about no one tool')
  state.rows.push({ type: 'permission_decision', id: decision.requestId, turnId: event.turnId, ts: event.ts })
}

function projectEnding(event, state) {
  const status = endingOf(event)
  if (status === undefined) throw unreadable(event, 'an end without a status')
  if (!state.openings.has(event.runId)) throw unreadable(event, 'the end of a run that never opened')
  state.rows.push(row('turn_state', event))
  if (status === 'failed' && failureClass(event) === STEP_CAP) {
    state.rows.push({
      type: 'system_note',
      id: `${event.id}:step-limit-notice`,
      turnId: event.turnId,
      ts: event.ts,
    })
  }
}

function failureClass(event) {
  const delta = event.actions?.stateDelta
  return [
    delta?.failureClass,
    delta?.errorClass,
    delta?.reason,
    delta?.code,
    event.content?.reason,
    event.content?.code,
  ].find((value) => typeof value === 'string' && value !== '')
}

function row(type, event, fields = {}) {
  // `??`: an empty id is an id that stops the search, and is then replaced.
  const id = event.refs?.storedMessageId ?? event.refs?.providerEventId ?? event.id
  return { type, id: id === '' ? `rtproj:${event.id}:${type}` : id, turnId: event.turnId, ts: event.ts, ...fields }
}

function messageKey(id, turnId) {
  return `${id}\u0000${turnId}`
}

function unreadable(event, why) {
  return new Unreadable(`${why}: event ${event.id}`)
}

function isPresent(value) {
  return value !== undefined && value !== null
}
