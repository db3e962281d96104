// Steps as events of the runtime ledger, in the canonical form: keys sorted.

/** Writes the steps of one Session as rows of `runtime_events`. */
export class EventWriter {
  #sessionId
  #generation
  #sequence = 0
  #run

  constructor(sessionId, generation) {
    this.#sessionId = sessionId
    this.#generation = generation
  }

  /** `{events, run?, stream?}`: the rows of a step that happens at `ts`. */
  rowsOf(step, ts) {
    switch (step.type) {
      case 'open':
        return this.#open(step, ts)
      case 'user': {
        const { attachments, text } = step
        const content = attachments === undefined ? { kind: 'text', text } : { attachments, kind: 'text', text }
        return this.#event('text', ts, { author: 'user', content, role: 'user' })
      }
      case 'thinking': {
        const content = { kind: 'thinking', text: step.text }
        return this.#said('thinking', ts, content, step.stepId)
      }
      case 'assistant': {
        const content = { kind: 'text', text: step.text }
        return this.#said('text', ts, content, step.stepId)
      }
      case 'call':
        return this.#call(step, ts)
      case 'result': {
        const { callId, isError, name, result } = step
        const content = { id: callId, isError, kind: 'function_response', name, result }
        const refs = { toolCallId: callId }
        return this.#event('function_response', ts, { author: 'tool', content, refs, role: 'tool' })
      }
      case 'usage': {
        const actions = { tokenUsage: { input: 1200, output: 88, total: 1288 } }
        return this.#event('runtime_fact', ts, { actions, author: 'system', role: 'system' })
      }
      case 'arriving':
        return this.#arriving(step, ts)
      default:
        return this.#end(step, ts)
    }
  }

  #open({ turnId, isChild }, ts) {
    const runId = `${turnId}-r`
    this.#run = { runId, invocationId: `${turnId}-i`, turnId, isChild }
    this.#sequence = 0
    const lineage = isChild ? { agentId: 'agent-1', parentRunId: 'run-0' } : undefined
    if (this.#generation === 'headers') {
      const { invocationId } = this.#run
      const header = { ...lineage, createdAt: ts, invocationId, modelId: 'model-a', runId, sessionId: this.#sessionId, turnId }
      return { events: [], run: { runId, createdAt: ts, json: JSON.stringify(header) } }
    }
    const content = {
      configuration: { cwd: '/home/dev/project', permissionMode: 'ask', toolMode: 'direct' },
      kind: 'invocation_opened',
      ...(lineage && { lineage }),
      protocol: 'invocation_opened_v1',
      root: { kind: 'user' },
      route: { backendKind: 'ai-sdk', llmConnectionSlug: 'provider-a', modelId: 'model-a', provenance: 'runtime' },
      source: { kind: 'fresh' },
    }
    const fields = { author: 'system', content, modelVisibility: 'hidden', role: 'system' }
    const opened = this.#event('invocation_opened', ts, fields)
    return { ...opened, run: { runId, createdAt: ts } }
  }

  #call({ args, callId, intent, name, stepId }, ts) {
    const refs = { stepId, toolCallId: callId }
    const call = this.#event('function_call', ts, {
      ...(intent && { actions: { stateDelta: { intent } } }),
      author: 'agent',
      content: { args, id: callId, kind: 'function_call', name },
      refs,
      role: 'model',
    })
    const toolDispatch = { operationId: `${callId}-o`, providerToolCallId: callId, toolName: name }
    const dispatch = this.#event('tool_dispatch', ts, {
      actions: { toolDispatch },
      author: 'system',
      modelVisibility: 'hidden',
      role: 'system',
    })
    return { events: [...call.events, ...dispatch.events] }
  }

  #end({ status }, ts) {
    const stateDelta = status === 'failed' ? { failureClass: 'provider_error' } : { stopReason: 'end_turn' }
    return this.#event(status, ts, {
      actions: { endInvocation: true, stateDelta },
      author: 'system',
      role: 'system',
      status,
    })
  }

  /** Text on its way: a snapshot without text, and segments. */
  #arriving({ stepId, text }, ts) {
    const { runId, invocationId, turnId } = this.#run
    const event = {
      author: 'agent',
      content: { kind: 'text', text: '' },
      id: `${runId}-p`,
      invocationId,
      partial: true,
      refs: { providerEventId: stepId },
      role: 'model',
      runId,
      sessionId: this.#sessionId,
      ts,
      turnId,
    }
    const half = Math.floor(text.length / 2)
    const stream = {
      key: `${runId}-stream`,
      runId,
      invocationId,
      turnId,
      afterEventId: `${runId}-${this.#sequence}`,
      json: JSON.stringify(event),
      segments: [text.slice(0, half), text.slice(half)],
    }
    return { events: [], stream }
  }

  #said(kind, ts, content, stepId) {
    return this.#event(kind, ts, { author: 'agent', content, refs: { providerEventId: stepId }, role: 'model' })
  }

  #event(kind, ts, fields) {
    const { runId, invocationId, turnId } = this.#run
    this.#sequence += 1
    const id = `${runId}-${this.#sequence}`
    const { actions, author, content, modelVisibility, refs, role, status } = fields
    const event = {
      actions,
      author,
      content,
      id,
      invocationId,
      modelVisibility,
      partial: false,
      refs,
      role,
      runId,
      sessionId: this.#sessionId,
      status,
      ts,
      turnId,
    }
    return { events: [{ id, invocationId, runId, turnId, seq: this.#sequence, kind, json: JSON.stringify(event), ts }] }
  }
}
