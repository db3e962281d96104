// Steps as stored messages, as builds from before the ledger wrote them.

/** The records of a step; steps that had no message then have none. */
export function recordsOf(step, ts) {
  const { turnId } = step
  switch (step.type) {
    case 'user': {
      const { attachments, text } = step
      return [{ type: 'user', id: `${turnId}-u`, turnId, ts, text, ...(attachments && { attachments }) }]
    }
    case 'assistant':
    case 'arriving':
      return [{ type: 'assistant', id: step.stepId, turnId, ts, text: step.text, modelId: 'model-a' }]
    case 'call': {
      const { args, callId: id, intent, name: toolName } = step
      return [{ type: 'tool_call', id, turnId, ts, toolName, args, ...(intent && { intent }) }]
    }
    case 'result': {
      const { callId: toolUseId, isError, result: content } = step
      return [{ type: 'tool_result', id: `${toolUseId}-r`, turnId, ts, toolUseId, isError, content }]
    }
    case 'usage':
      return [{ type: 'token_usage', id: `${turnId}-${ts}`, turnId, ts, input: 1200, output: 88 }]
    case 'end':
      return [{ type: 'turn_state', id: `${turnId}-s`, turnId, ts, status: step.status, partialOutputRetained: false }]
    default:
      return []
  }
}
