// Which messages hold a term: the predicate, which alone decides.

import { codePoints, fold, occurrences } from './fold.js'
import { ECHO_TOOLS, SEARCHABLE_TYPES } from './limits.js'
import { redactedText, storedText } from './text.js'

/**
 * The hits of a Session: `{hits, truncatedResults}`. A message holds a term
 * when the folded stored text does and the folded redacted text still does.
 */
export function hitsOf(session, rows, { terms, since = -Infinity, until = Infinity, isExcluded, patterns = [] }) {
  const hits = []
  let truncatedResults = 0
  const echoes = echoRows(rows)
  rows.forEach((row, sequence) => {
    if (!SEARCHABLE_TYPES.has(row.type) || row.synthetic === true || echoes.has(sequence)) return
    if (row.ts < since || until < row.ts || isExcluded(session, row)) return
    const message = withoutSynthetic(row, patterns)
    const stored = storedText(message)
    if (stored === undefined) return
    const foldedStored = fold(stored)
    const held = terms.filter((term) => foldedStored.includes(term.folded))
    if (held.length === 0) return
    const redacted = redactedText(message)
    if (redacted.cut) truncatedResults += 1
    const foldedText = fold(redacted.text)
    const counts = new Map()
    for (const term of held) {
      const tf = occurrences(foldedText, term.folded)
      if (0 < tf) counts.set(term, tf)
    }
    if (counts.size === 0) return
    hits.push({ session, row, sequence, counts, length: codePoints(foldedText) })
  })
  return { hits, truncatedResults }
}

/** Results of the recall tools, by the nearest call before them. */
function echoRows(rows) {
  const names = new Map()
  const echoes = new Set()
  rows.forEach((row, index) => {
    if (row.type === 'tool_call') names.set(row.id, row.toolName)
    if (row.type === 'tool_result' && ECHO_TOOLS.has(names.get(row.toolUseId))) echoes.add(index)
  })
  return echoes
}

/** Text that the host's reader wrote and no store holds is not matched. */
export function withoutSynthetic(message, patterns = []) {
  if (patterns.length === 0) return message
  const clean = (value) => {
    if (typeof value === 'string') return patterns.reduce((text, pattern) => text.replace(pattern, ''), value)
    if (Array.isArray(value)) return value.map(clean)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clean(item)]))
  }
  const { text, displayText, intent, content } = message
  return { ...message, text: clean(text), displayText: clean(displayText), intent: clean(intent), content: clean(content) }
}
