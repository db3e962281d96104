// A passage: the message that matched with its visible neighbours, inside a
// budget of the bytes that leave.

import { PASSAGE_BYTES, MAX_MATCHES, MESSAGE_TEXT_BYTES } from './limits.js'
import { messageMaterials } from './materials.js'
import { firstSpan, foldMap } from './positions.js'
import { redact } from './redact.js'
import { shownText } from './text.js'
import { windowOf } from './window.js'

const MATCH_KINDS = {
  user: { role: 'user', matchKind: 'user_message' },
  assistant: { role: 'assistant', matchKind: 'assistant_message' },
  tool_call: { role: 'tool', matchKind: 'tool_intent' },
  tool_result: { role: 'tool', matchKind: 'tool_result' },
}
/** The smallest window that shows something: one byte and a mark. */
const SMALLEST_WINDOW = 4

/** Whether a row takes a place in a passage. Tool results stand only as the anchor. */
export function isVisible(row, scope) {
  return row.type !== 'tool_result' && hasContents(row, scope)
}

/** Whether there is anything to show of a row. */
export function hasContents(row, scope) {
  if (MATCH_KINDS[row.type] === undefined) return false
  return shownText(row).text !== '' || messageMaterials(row, scope) !== undefined
}

/**
 * `{passage, bytes}`, or `undefined` when not even the anchor fits.
 *
 * `termsAt(sequence)`: the terms of a row that is a hit, in request order
 * `undefined` where matches are not shown. `leading`: the term that the window
 * of the anchor must show. `room`: bytes that all passages have left.
 */
export function passageOf(session, rows, anchor, { before, after, termsAt, leading, room, scope }) {
  const { turnId } = rows[anchor]
  const [first, last] = stretchOf(rows, anchor)
  const visible = (index) => isVisible(rows[index], scope)
  const earlier = range(first, anchor).filter(visible)
  const later = range(anchor + 1, last + 1).filter(visible)
  const backward = earlier.slice(Math.max(0, earlier.length - before)).reverse()
  const forward = later.slice(0, after)

  const budget = Math.min(PASSAGE_BYTES, room)
  let bytes = 0
  let truncated = false
  const messages = new Map()
  const serve = (index) => {
    const isAnchor = index === anchor
    const message = messageOf(rows[index], {
      isAnchor,
      terms: termsAt(index),
      leading: isAnchor ? leading : undefined,
      room: budget - bytes,
      scope,
    })
    if (message === undefined) {
      truncated = true
      return false
    }
    bytes += jsonBytes(message)
    truncated ||= message.truncated === true
    messages.set(index, message)
    return true
  }

  if (!serve(anchor)) return undefined
  for (let step = 0; step < Math.max(backward.length, forward.length); step += 1) {
    if (step < backward.length) serve(backward[step])
    if (step < forward.length) serve(forward[step])
  }
  const shown = [...messages.keys()].sort((left, right) => left - right)
  const passage = {
    sessionId: session.id,
    sessionTitle: redact(session.name.toWellFormed()),
    turnId: turnId ?? undefined,
    anchor: `${session.id}/${rows[anchor].id}`,
    anchorMessageId: rows[anchor].id,
    sequence: anchor,
    messages: shown.map((index) => messages.get(index)),
    lastMessageAt: session.lastMessageAt,
    hasMoreBefore: earlier.some((index) => index < shown[0]),
    hasMoreAfter: later.some((index) => shown.at(-1) < index),
    truncated: truncated || undefined,
  }
  return { passage, bytes }
}

/** The unbroken stretch of rows of one turn round a row: where another turn cuts in, the passage ends. */
function stretchOf(rows, anchor) {
  const { turnId } = rows[anchor]
  let first = anchor
  while (0 < first && rows[first - 1].turnId === turnId) first -= 1
  let last = anchor
  while (last < rows.length - 1 && rows[last + 1].turnId === turnId) last += 1
  return [first, last]
}

function range(start, end) {
  return Array.from({ length: end - start }, (_, index) => start + index)
}

/** A message cut to `room` bytes of JSON; `undefined` when it does not fit. */
function messageOf(row, { isAnchor, terms, leading, room, scope }) {
  const { text, cut } = shownText(row)
  const base = {
    messageId: row.id,
    ...MATCH_KINDS[row.type],
    text: '',
    timestamp: row.ts,
    isAnchor,
    materials: messageMaterials(row, scope),
  }
  if (room <= jsonBytes(base)) return undefined
  const matchStart = leading === undefined ? 0 : (firstSpan(text, leading.folded)?.[0] ?? 0)
  const shownIn = (maxBytes) => {
    const { body, shown, markBefore, truncated } = windowOf(text, maxBytes, { matchStart, capped: cut })
    return {
      ...base,
      text: shown,
      matches: terms === undefined ? undefined : matchesIn(body, terms, markBefore ? 1 : 0),
      truncated: truncated || undefined,
      body,
    }
  }
  const fits = ({ body, ...message }) => jsonBytes(message) <= room && (body !== '' || text === '')
  const leave = ({ body, ...message }) => message

  const whole = Math.min(MESSAGE_TEXT_BYTES, Buffer.byteLength(text) + 3)
  if (fits(shownIn(whole))) return leave(shownIn(whole))
  let low = SMALLEST_WINDOW
  let high = whole
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(shownIn(middle))) low = middle
    else high = middle - 1
  }
  return fits(shownIn(low)) ? leave(shownIn(low)) : undefined
}

/** Where the terms stand in the shown text, marks included, in UTF-16 units. */
export function matchesIn(body, terms, shift) {
  const map = foldMap(body)
  const matches = []
  terms.forEach((term, order) => {
    const { folded } = term
    for (let at = map.folded.indexOf(folded); at !== -1; at = map.folded.indexOf(folded, at + folded.length)) {
      const [start, end] = map.span(at, at + folded.length)
      matches.push({ order, term: term.text, start: start + shift, end: end + shift })
    }
  })
  return matches
    .sort((left, right) => left.start - right.start || left.order - right.order)
    .slice(0, MAX_MATCHES)
    .map(({ term, start, end }) => ({ term, start, end }))
}

function jsonBytes(value) {
  return Buffer.byteLength(JSON.stringify(value))
}
