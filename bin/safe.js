// Recalled text made harmless for a terminal.
//
// What was said in a Session is data: it must not move the cursor, recolour the
// screen, set the window title, write the clipboard or reorder what is read.
// Escape sequences and control characters go, line ends become line feeds, and
// characters that reorder text are shown by their number.

// Escape sequences, as ECMA-48 forms them, with 7-bit and 8-bit introducers.
// A string sequence (title, clipboard, image) counts only with its end: without
// one just the introducer goes, and the text after it stays readable. It ends at
// the next introducer, which keeps the search linear.
const STRING = '(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0007\\u001b\\u0090\\u0098\\u009c-\\u009f\\n]*(?:\\u0007|\\u001b\\\\|\\u009c)'
const CONTROL = '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]'
const ESCAPE = '\\u001b[ -/]*[0-~]'
const LINE_END = '\\r\\n?|[\\u0085\\u2028\\u2029]'
const CHARACTER = '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]'
const REORDERS = '[\\u202a-\\u202e\\u2066-\\u2069]'
const HARMFUL = new RegExp(`${STRING}|${CONTROL}|${ESCAPE}|(${LINE_END})|${CHARACTER}|(${REORDERS})`, 'g')

/**
 * @typedef {object} Piece a run of text that is shown in one style
 * @property {string} text safe to print
 * @property {boolean} hit whether it is part of a match
 */

/**
 * A text with its matches, safe to print.
 *
 * @param {string} text as recalled
 * @param {readonly {start: number, end: number}[]} [matches] in UTF-16 units of `text`; may overlap
 * @returns {Piece[]} without empty pieces
 */
export function safePieces(text, matches = []) {
  const spans = union(matches)
  const pieces = []
  let at = 0
  for (const harmful of text.matchAll(HARMFUL)) {
    pushHits(pieces, text, at, harmful.index, spans)
    push(pieces, replacement(harmful), spans.some((span) => span.start <= harmful.index && harmful.index < span.end))
    at = harmful.index + harmful[0].length
  }
  pushHits(pieces, text, at, text.length, spans)
  return pieces
}

/**
 * A text, safe to print.
 *
 * @param {string} text
 * @returns {string}
 */
export function safeText(text) {
  return text.replace(HARMFUL, (...found) => replacement(found))
}

/**
 * A title, name or id, safe to print within a line.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function safeLine(value) {
  return safeText(String(value)).replace(/\s+/g, ' ').trim()
}

/**
 * JSON that a terminal may show: equal as data, harmless as characters.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function safeJson(value) {
  const text = JSON.stringify(value, undefined, 2)
  // These stand inside strings only: JSON itself is made of none of them.
  return text.replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

function replacement([, lineEnd, reorders]) {
  if (lineEnd !== undefined) return '\n'
  if (reorders !== undefined) return `<U+${reorders.charCodeAt(0).toString(16).toUpperCase()}>`
  return ''
}

/** Spans in order, those that touch made one. */
function union(matches) {
  const spans = []
  const inOrder = [...matches].sort((left, right) => left.start - right.start)
  for (const { start, end } of inOrder) {
    const last = spans.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else spans.push({ start, end })
  }
  return spans
}

/** Pushes `text[from..to]`, cut where a match begins or ends. */
function pushHits(pieces, text, from, to, spans) {
  let at = from
  for (const { start, end } of spans) {
    if (end <= at) continue
    if (to <= start) break
    push(pieces, text.slice(at, Math.max(at, start)), false)
    const stop = Math.min(to, end)
    push(pieces, text.slice(Math.max(at, start), stop), true)
    at = stop
  }
  push(pieces, text.slice(at, to), false)
}

function push(pieces, text, hit) {
  if (text === '') return
  const last = pieces.at(-1)
  if (last?.hit === hit) last.text += text
  else pieces.push({ text, hit })
}
