// What a tool answered, as the transcript shows it.

const RETIRED_PLAN_RESULTS = new Set([
  'plan_submitted',
  'plan_progress_updated',
  'plan_execution_completed',
  'plan_execution_cancelled',
])
const ARCHIVE_KIND = 'maka.archived_tool_result'
const ARCHIVE_REASON = 'stale_tool_result_pruned_before_compact'
const SERVED_AS_STORED = new Set([
  'text',
  'json',
  'file_diff',
  'file_write',
  'archived_tool_result',
  'terminal',
  'shell_run',
  'image',
  'summary',
  'web_search',
  'web_search_error',
  'subagent',
  'agent_swarm',
  'rive_workflow',
])

/**
 * `{content, synthetic?}` of a transcript row, or `undefined` for a shape that
 * nobody knows. `synthetic`: the text is not stored, the reader wrote it.
 */
export function readResult(result) {
  if (!isObject(result)) return undefined
  const { kind } = result
  if (RETIRED_PLAN_RESULTS.has(kind)) return { content: { kind: 'json', value: result } }
  if (kind === ARCHIVE_KIND) return archived(result)
  if (kind === 'explore_agent') return explored(result)
  if (!SERVED_AS_STORED.has(kind) || !isConsistent(result)) return undefined
  if (kind === 'subagent' && result.permissionMode === 'execute') {
    return { content: { ...result, permissionMode: 'ask' } }
  }
  return { content: result }
}

/** Only what a wrong shape would turn into wrong text is checked: newer hosts add keys. */
function isConsistent(result) {
  switch (result.kind) {
    case 'text':
      return typeof result.text === 'string'
    case 'json':
      return 'value' in result
    case 'image':
      return typeof result.mimeType === 'string' && isObject(result.ref)
    case 'terminal':
      return ['cwd', 'cmd', 'status'].every((key) => typeof result[key] === 'string') && !failedAndCompleted(result)
    default:
      return true
  }
}

function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function failedAndCompleted({ status, exitCode }) {
  return status === 'completed' && typeof exitCode === 'number' && exitCode !== 0
}

/** A result that was pruned: its placeholder says where it went. */
function archived(result) {
  const named = ['artifactId', 'runtimeEventId', 'toolCallId', 'toolName', 'bodySha256'].every(
    (key) => typeof result[key] === 'string' && result[key] !== '',
  )
  const counted = ['originalEstimatedTokens', 'originalBytes'].every((key) => 0 < result[key])
  const known =
    result.rewriteVersion === 1 || (result.rewriteVersion === 2 && typeof result.resourceRef === 'string')
  if (!named || !counted || !known || result.reason !== ARCHIVE_REASON) return undefined
  const { kind, ...fields } = result
  return { content: { ...fields, kind: 'archived_tool_result', status: 'not_loaded' } }
}

/** The retired explore tool: its report, else a caption that no store holds. */
function explored(result) {
  const report = [result.report, result.summary, result.message].find(
    (text) => typeof text === 'string' && text.trim() !== '',
  )
  if (report !== undefined) return { content: { kind: 'text', text: report } }
  return {
    content: { kind: 'text', text: `Inspected ${result.filesInspected} files` },
    synthetic: true,
  }
}
