// The events of one Session in the order in which the host would write them.

import { PROJECT } from './sessions.mjs'

/** The model of every run. */
export const MODEL = 'lantern-large'
/** Time between two events. */
export const STEP_MS = 4_000
/** Time between two turns. */
const TURN_MS = 90_000

/** Collects `events`, and beside each its place in its run in `sequences`. */
export class Ledger {
  events = []
  sequences = []

  constructor(sessionId, createdAt) {
    this.sessionId = sessionId
    this.start = createdAt
    this.ts = createdAt
  }

  open(index) {
    this.ts = this.start + index * TURN_MS
    this.turnId = `turn-${this.sessionId}-${index + 1}`
    this.runId = `run-${this.sessionId}-${index + 1}`
    this.sequence = 0
    this.push('opened', {
      role: 'system',
      author: 'system',
      modelVisibility: 'hidden',
      content: {
        kind: 'invocation_opened',
        protocol: 'invocation_opened_v1',
        route: { provenance: 'runtime', backendKind: 'ai-sdk', llmConnectionId: 'conn-1', llmConnectionSlug: 'lantern', modelId: MODEL },
        configuration: {
          cwd: PROJECT,
          permissionMode: 'ask',
          collaborationMode: 'agent',
          orchestrationMode: 'default',
          orchestrationSource: 'session',
          toolMode: 'direct',
        },
        root: { kind: 'user' },
        source: { kind: 'fresh' },
      },
    })
  }

  say(role, text, files) {
    const attachments = files.map(({ id, name, kind, mimeType, bytes }) => ({
      kind,
      name,
      mimeType,
      bytes,
      ref: { kind: 'session_file', sessionId: this.sessionId, relativePath: id },
    }))
    const content = 0 < attachments.length ? { kind: 'text', text, attachments } : { kind: 'text', text }
    const author = role === 'user' ? 'user' : 'agent'
    const event = this.push(role === 'user' ? 'said' : 'answered', { role, author, content })
    event.refs = role === 'user' ? { storedMessageId: `msg-${event.id}` } : { providerEventId: `msg-${event.id}` }
  }

  step({ call, intent, args, result }) {
    const id = `call-${this.runId}-${this.sequence}`
    const refs = { toolCallId: id }
    const asked = { kind: 'function_call', id, name: call, args }
    this.push('called', { role: 'model', author: 'agent', content: asked, refs, actions: { stateDelta: { displayName: call, intent } } })
    const answered = { kind: 'function_response', id, name: call, result }
    this.push('returned', { role: 'tool', author: 'tool', content: answered, refs, actions: { stateDelta: { durationMs: STEP_MS } } })
  }

  end() {
    this.push('ended', { role: 'system', author: 'system', status: 'completed', actions: { endInvocation: true, stateDelta: { stopReason: 'end_turn' } } })
  }

  push(what, fields) {
    this.sequence += 1
    const { sessionId, runId, turnId, ts } = this
    const event = { id: `${runId}-${what}-${this.sequence}`, invocationId: runId, runId, sessionId, turnId, ts, partial: false, ...fields }
    this.events.push(event)
    this.sequences.push(this.sequence)
    this.ts += STEP_MS
    return event
  }
}
