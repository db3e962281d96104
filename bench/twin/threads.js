// `runThreadSearch`: the modal's search. A person wants grep, newest first, so
// there is no ranking; text is redacted before it is matched and cut.

import { codePoints, fold } from './fold.js'
import {
  MARK,
  MAX_TERM_CODE_POINTS,
  SNIPPET_CODE_POINTS,
  SNIPPET_CONTEXT_UNITS,
  THREAD_DEFAULT_LIMIT,
  THREAD_MAX_LIMIT,
} from './limits.js'
import { hitsOf, withoutSynthetic } from './match.js'
import { matchesIn } from './passage.js'
import { firstSpan } from './positions.js'
import { ABORTED, exclusion, withSource } from './recall.js'
import { redact } from './redact.js'
import { isObject, privacyRefusal, refusal } from './request.js'
import { eligibleSessions } from './sessions.js'
import { redactedText } from './text.js'

/** Answers `runThreadSearch(request, deps, options)`: an array, or a failure. */
export async function twinThreads(input, deps, options = {}) {
  if (options.abortSignal?.aborted) return ABORTED
  const { request, refused } = readRequest(input, options.maxResults)
  if (refused !== undefined) return refused
  const forbidden = await privacyRefusal(deps)
  if (forbidden !== undefined) return forbidden
  return withSource(deps, options, (source) => scan(source, request, deps, options))
}

/** `{request: {term, limit}}`, or `{refused}`. */
function readRequest(input, maxResults) {
  const invalid = (message) => ({ refused: refusal('invalid_query', message) })
  if (!isObject(input)) return invalid('Thread search request must be an object.')
  if (input.source !== 'thread') {
    return { refused: refusal('disabled', 'Only the source `thread` can be searched.') }
  }
  if (typeof input.query !== 'string') return invalid('Thread search query must be a string.')
  const text = input.query.trim().toWellFormed()
  if (text === '') return invalid('Thread search query must not be empty.')
  if (MAX_TERM_CODE_POINTS < codePoints(text)) {
    return invalid(`Thread search query must be ${MAX_TERM_CODE_POINTS} characters or fewer.`)
  }
  const { limit } = input
  if (limit !== undefined && limit !== null && typeof limit !== 'number') {
    return invalid('Thread search limit must be a number.')
  }
  return { request: { term: { text, folded: fold(text) }, limit: limitOf(limit, maxResults) } }
}

/** The old contract gave ten results at most; `maxResults` raises that. */
function limitOf(limit, maxResults) {
  const most = Number.isInteger(maxResults) && 0 < maxResults ? maxResults : THREAD_MAX_LIMIT
  if (!Number.isFinite(limit)) return Math.min(THREAD_DEFAULT_LIMIT, most)
  return Math.min(most, Math.max(1, Math.trunc(limit)))
}

/** Titles before messages, messages in order, and a stop as soon as there are enough. */
async function scan(source, { term, limit }, { syntheticTextPatterns: patterns }, options) {
  const results = []
  const isExcluded = exclusion(options)
  for (const session of eligibleSessions(await source.sessions(), options)) {
    if (options.abortSignal?.aborted) return ABORTED
    const title = redact(session.name.toWellFormed())
    if (fold(session.name).includes(term.folded) && fold(title).includes(term.folded)) {
      results.push(resultOf(session, title, '任务标题', title, term))
      if (results.length === limit) return results
    }
    const rows = await source.read(session)
    if (rows === null) continue
    const { hits } = hitsOf(session, rows, { terms: [term], isExcluded, patterns })
    for (const { row, sequence } of hits) {
      const { text } = redactedText(withoutSynthetic(row, patterns))
      const place = { turnId: row.turnId ?? undefined, sequence }
      results.push(resultOf(session, title, summaryOf(row), text, term, place))
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
  // A query with white space of its own reads otherwise on one line.
  const shownTerm = { ...term, folded: fold(collapsed(term.text)) }
  return {
    source: 'thread',
    title,
    summary,
    snippet,
    target: { kind: 'thread', sessionId: session.id, ...place },
    truncated: truncated || undefined,
    matches: matchesIn(body, [shownTerm], markBefore ? 1 : 0),
  }
}

/** The text around the first match, on one line. */
function snippetOf(text, term) {
  const [start, end] = firstSpan(text, term.folded)
  const from = boundary(text, Math.max(0, start - SNIPPET_CONTEXT_UNITS), 1)
  const to = boundary(text, Math.min(text.length, end + SNIPPET_CONTEXT_UNITS), -1)
  // Leaving out white space is no cut.
  const markBefore = text.slice(0, from).trim() !== ''
  let markAfter = text.slice(to).trim() !== ''
  const points = Array.from(collapsed(text.slice(from, to)))
  const room = () => SNIPPET_CODE_POINTS - Number(markBefore) - Number(markAfter)
  if (room() < points.length) markAfter = true
  const body = points.slice(0, room()).join('')
  const snippet = `${markBefore ? MARK : ''}${body}${markAfter ? MARK : ''}`
  return { snippet, body, markBefore, truncated: markBefore || markAfter }
}

/** White space as one space each, none at the ends. */
function collapsed(text) {
  return text.replace(/\s+/g, ' ').trim()
}

/** A character that would be cut in two is left out. */
function boundary(text, at, inward) {
  const unit = text.charCodeAt(at)
  return 0 < at && 0xdc00 <= unit && unit <= 0xdfff ? at + inward : at
}
