// Results as text for a person.
//
// Everything that comes out of a result passes through `safe.js` on its way.

import { safeLine, safePieces } from './safe.js'
import { styles } from './terminal.js'
import { wrap } from './width.js'

const MARGIN = '    '
const ROLES = {
  user_message: 'user',
  assistant_message: 'assistant',
  tool_intent: 'tool call',
  tool_result: 'tool result',
}

/**
 * The answer of `recall`.
 *
 * @param {object} envelope with `ok: true`
 * @param {import('./terminal.js').Terminal} terminal
 * @returns {string}
 */
export function presentEnvelope(envelope, terminal) {
  const page = new Page(terminal)
  const { facts, passages, materials, gaps, coverage } = envelope
  if (0 < facts.length) {
    page.line(page.style.title('Known'))
    for (const fact of facts) presentFact(page, fact)
    page.line('')
  }
  passages.forEach((passage, index) => presentPassage(page, passage, `${index + 1}.`))
  if (0 < materials.length) {
    page.line(page.style.title('Files of these turns'))
    for (const material of materials) presentMaterial(page, material, material.id)
    page.line('')
  }
  presentGaps(page, gaps, coverage)
  return page.text()
}

/**
 * The answer of `recallMore`.
 *
 * @param {object} result with `ok: true`
 * @param {import('./terminal.js').Terminal} terminal
 * @returns {string}
 */
export function presentMore(result, terminal) {
  const page = new Page(terminal)
  presentPassage(page, result.passage, '')
  return page.text()
}

/**
 * The answer of `searchThreads`.
 *
 * @param {readonly object[]} results
 * @param {import('./terminal.js').Terminal} terminal
 * @returns {string}
 */
export function presentThreads(results, terminal) {
  const page = new Page(terminal)
  results.forEach((result, index) => {
    const { title, summary, snippet, matches, target } = result
    page.line(`${index + 1}. ${page.style.title(safeLine(title))}  ${page.style.role(safeLine(summary))}`)
    page.block(snippet, matches, MARGIN)
    const place = target.sequence === undefined ? target.sessionId : `${target.sessionId} #${target.sequence}`
    page.line(MARGIN + page.style.dim(safeLine(place)))
    page.line('')
  })
  if (results.length === 0) page.line('No Session holds that text.')
  return page.text()
}

/**
 * The answer of `recallMaterial` for an image that is not written to a file.
 *
 * @param {{mimeType: string, ref: {sessionId: string, relativePath: string}}} content
 * @param {string} id as the person named it
 * @returns {string}
 */
export function presentImage(content, id) {
  return `An image, ${safeLine(content.mimeType)}. Write it to a file: recall material ${safeLine(id)} -o FILE\n`
}

/**
 * The answer of `warm`.
 *
 * @param {object} report with `ok: true`
 * @param {import('./terminal.js').Terminal} terminal
 * @returns {string}
 */
export function presentWarm(report, terminal) {
  const page = new Page(terminal)
  const { sessions, sessionsHeld, sessionsOutlined, sessionsLeftOut } = report
  page.line(page.style.title(`Read ahead in ${duration(report.tookMs)}`))
  const rows = [
    ['Sessions that may be searched', sessions],
    ['answered from memory', `${sessionsHeld}, with ${byteSize(report.textBytes)} of text`],
    ['skipped from memory, else read', sessionsOutlined],
    ['always read from the database', sessionsLeftOut],
    ['memory', `${byteSize(report.heldBytes)} of at most ${byteSize(report.budgetBytes)}`],
  ]
  for (const [label, value] of rows) page.line(`${MARGIN}${label.padEnd(32)}${value}`)
  if (!report.complete) page.line(page.style.warning('Not all texts fit into that memory.'))
  return page.text()
}

/**
 * A local date and time.
 *
 * @param {number | undefined | null} ms epoch milliseconds
 * @returns {string} `2026-09-01 14:05`, or `no date` where it is none
 */
export function localTime(ms) {
  const date = new Date(ms ?? Number.NaN)
  if (Number.isNaN(date.getTime())) return 'no date'
  const two = (value) => String(value).padStart(2, '0')
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}

/**
 * A number of bytes.
 *
 * @param {number} bytes
 * @returns {string} such as `812 B`, `1.2 KiB`
 */
export function byteSize(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB']
  let value = bytes
  let unit = 0
  while (1024 <= value && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}

/**
 * A span of time.
 *
 * @param {number} ms
 * @returns {string} such as `49 ms`, `1.3 s`
 */
export function duration(ms) {
  const rounded = Math.round(ms)
  return rounded < 1000 ? `${rounded} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** Lines of output for one terminal. */
class Page {
  lines = []

  constructor(terminal) {
    this.columns = terminal.columns
    this.style = styles(terminal.colour)
  }

  line(text) {
    this.lines.push(text)
  }

  /** A text with its matches, broken into lines under `margin`. */
  block(text, matches, margin) {
    for (const pieces of wrap(safePieces(text, matches), this.columns - margin.length)) {
      const shown = pieces.map((piece) => (piece.hit ? this.style.hit(piece.text) : piece.text)).join('')
      this.line(shown === '' ? '' : margin + shown)
    }
  }

  text() {
    return `${this.lines.join('\n')}\n`
  }
}

function presentFact(page, { content, kind, observedAt }) {
  page.block(content, [], MARGIN)
  page.line(MARGIN + page.style.dim(`${safeLine(kind)}, ${localTime(observedAt)}`))
}

function presentPassage(page, passage, number) {
  const { sessionTitle, lastMessageAt, score, anchor, messages, matchedTerms, explain } = passage
  const anchorMessage = messages.find((message) => message.isAnchor)
  const parts = [number, page.style.title(safeLine(sessionTitle) || 'untitled')]
  parts.push(localTime(anchorMessage?.timestamp ?? lastMessageAt))
  if (0 < matchedTerms.length) parts.push(page.style.dim(`${matchedTerms.map(safeLine).join(', ')}  score ${score}`))
  page.line(parts.filter((part) => part !== '').join('  '))
  page.line(MARGIN + page.style.dim(`recall more ${quoted(anchor)}`))
  if (passage.hasMoreBefore) page.line(MARGIN + page.style.dim('… more before'))
  for (const message of messages) presentMessage(page, message)
  if (passage.hasMoreAfter) page.line(MARGIN + page.style.dim('… more after'))
  if (explain !== undefined) presentExplain(page, explain)
  page.line('')
}

function presentMessage(page, message) {
  const { matchKind, timestamp, isAnchor, text, matches, materials, truncated } = message
  const role = ROLES[matchKind] ?? safeLine(matchKind)
  const cut = truncated ? page.style.dim('  cut') : ''
  page.line(`  ${isAnchor ? '>' : ' '} ${page.style.role(role)}  ${page.style.dim(localTime(timestamp))}${cut}`)
  if (text !== '') page.block(text, matches, MARGIN)
  for (const material of materials ?? []) presentMaterial(page, material, locationOf(material))
}

function presentMaterial(page, { name, mimeType, bytes }, id) {
  const size = bytes === undefined ? '' : `, ${byteSize(bytes)}`
  const fetch = id === undefined ? '' : page.style.dim(`  recall material ${quoted(id)}`)
  page.line(`${MARGIN}[${safeLine(name)}] ${safeLine(mimeType)}${size}${fetch}`)
}

function locationOf({ sourceSessionId, materialId }) {
  return sourceSessionId === undefined ? undefined : `${sourceSessionId}/${materialId}`
}

function presentExplain(page, { n, avgdl, terms }) {
  page.line(MARGIN + page.style.dim(`score: ${n} messages in the corpus, matching ones ${rounded(avgdl)} long on average`))
  for (const { term, tf, df, idf, length, weight, contribution } of terms) {
    const factors = `tf ${tf}, df ${df}, idf ${rounded(idf)}, length ${length}, weight ${weight}`
    page.line(`${MARGIN}  ${page.style.dim(`${safeLine(term)}: ${factors} = ${rounded(contribution)}`)}`)
  }
}

function presentGaps(page, gaps, coverage) {
  page.block(gaps, [], '')
  const unreadable = coverage.sessionsUnreadable
  if (0 < unreadable.length) page.line(page.style.warning(`Not readable: ${unreadable.map(safeLine).join(', ')}`))
  if (0 < coverage.truncatedToolResults) {
    const count = coverage.truncatedToolResults
    page.line(page.style.warning(`${count} tool result(s) are longer than what is searched of them.`))
  }
}

/** An id as a shell takes it as one word. */
function quoted(id) {
  const word = safeLine(id)
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

function rounded(value) {
  return String(Math.round(value * 10_000) / 10_000)
}
