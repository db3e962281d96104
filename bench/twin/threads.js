// `runThreadSearch`: the modal's search. A person wants grep, newest first, so
// there is no ranking; text is redacted before it is matched and cut.

import { fold } from './fold.js'
import {
  MARK,
  MAX_TERM_CODE_POINTS,
  SNIPPET_CODE_POINTS,
  SNIPPET_CONTEXT_UNITS,
  THREAD_DEFAULT_LIMIT,
  THREAD_MAX_LIMIT,
} from './limits.js'
import { hitsOf } from './match.js'
import { matchesIn } from './passage.js'
import { firstSpan } from './positions.js'
import { ABORTED, withSource } from './recall.js'
import { redact } from './redact.js'
import { isObject, privacyRefusal, refusal } from './request.js'
import { eligibleSessions } from './sessions.js'
import { redactedText } from './text.js'

/** Answers `runThreadSearch(request, deps, options)`: an array, or a failure. */
export async function twinThreads(input, deps, options = {}) {
  if (options.abortSignal?.aborted) return ABORTED
  if (!isObject(input) || input.source !== 'thread') {
    return refusal('disabled', 'Only the source `thread` is searched.')
  }
  const query = typeof input.query === 'string' ? input.query.trim() : ''
  if (query === '' || MAX_TERM_CODE_POINTS < Array.from(query).length) {
    return refusal('invalid_query', `A query has 1 to ${MAX_TERM_CODE_POINTS} characters.`)
  }
  const forbidden = await privacyRefusal(deps)
  if (forbidden !== undefined) return forbidden
  const limit = limitOf(input.limit, options.maxResults)
  return withSource(deps, options, (source) => scan(source, { text: query, folded: fold(query) }, limit, options))
}

function limitOf(limit, maxResults) {
  const most = Number.isInteger(maxResults) && 0 < maxResults ? maxResults : THREAD_MAX_LIMIT
  if (typeof limit !== 'number' || !Number.isFinite(limit)) return Math.min(THREAD_DEFAULT_LIMIT, most)
  return Math.min(most, Math.max(1, Math.trunc(limit)))
}

async function scan(source, term, limit, { abortSignal, activeSessionId }) {
  const results = []
  for (const session of eligibleSessions(await source.sessions(), { activeSessionId })) {
    if (abortSignal?.aborted) return ABORTED
    const title = redact(session.name.toWellFormed())
    if (fold(session.name).includes(term.folded) && fold(title).includes(term.folded)) {
      results.push(resultOf(session, title, '任务标题', title, term))
      if (results.length === limit) return results
    }
    const rows = await source.read(session)
    if (rows === null) continue
    const { hits } = hitsOf(session, rows, { terms: [term], isExcluded: () => false })
    for (const { row, sequence } of hits) {
      const place = { turnId: row.turnId ?? undefined, sequence }
      results.push(resultOf(session, title, summaryOf(row), redactedText(row).text, term, place))
      if (results.length === limit) return results
    }
  }
  return results
}

function summaryOf(row) {
  switch (row.type) {
    case 'user':
      return '用户消息'
    case 'assistant':
      return '助手回复'
    case 'tool_call':
      return `工具调用：${redact(String(row.toolName ?? ''))}`
    default:
      return `工具结果：${row.isError === true ? '失败' : '成功'}`
  }
}

function resultOf(session, title, summary, text, term, place = {}) {
  const { snippet, body, truncated, markBefore } = snippetOf(text, term)
  return {
    source: 'thread',
    title,
    summary,
    snippet,
    target: { kind: 'thread', sessionId: session.id, ...place },
    truncated: truncated || undefined,
    matches: matchesIn(body, [term], markBefore ? 1 : 0),
  }
}

/** The text around the first match, on one line. */
function snippetOf(text, term) {
  const [start, end] = firstSpan(text, term.folded)
  const from = boundary(text, Math.max(0, start - SNIPPET_CONTEXT_UNITS))
  const to = boundary(text, Math.min(text.length, end + SNIPPET_CONTEXT_UNITS))
  const line = text.slice(from, to).replace(/\s+/g, ' ').trim()
  const markBefore = 0 < from
  let markAfter = to < text.length
  const points = Array.from(line)
  const room = () => SNIPPET_CODE_POINTS - Number(markBefore) - Number(markAfter)
  if (room() < points.length) markAfter = true
  const body = points.slice(0, room()).join('')
  const snippet = `${markBefore ? MARK : ''}${body}${markAfter ? MARK : ''}`
  return { snippet, body, markBefore, truncated: markBefore || markAfter }
}

/** No half of a surrogate pair is cut off. */
function boundary(text, at) {
  const unit = text.charCodeAt(at)
  return 0 < at && 0xdc00 <= unit && unit <= 0xdfff ? at - 1 : at
}
