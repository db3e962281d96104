// Cutting a text to a budget without losing the place that matched.

import { MARK } from './limits.js'
import { bytesOf, cutBytes } from './text.js'

const MARK_BYTES = 3

/**
 * The part of `text` that is shown in `maxBytes`, marks included.
 *
 * `matchStart`: UTF-16 unit of the hit that must stay visible; a quarter of the
 * budget is shown before it. `capped`: the text was cut before, so that text is
 * always left over at its end.
 */
export function windowOf(text, maxBytes, { matchStart = 0, capped = false } = {}) {
  const total = Buffer.byteLength(text)
  if (total <= maxBytes && !capped) return { body: text, shown: text, markBefore: false, truncated: false }
  let start = 0
  if (maxBytes < total) {
    const matchByte = Buffer.byteLength(text.slice(0, matchStart))
    start = unitAtByte(text, Math.max(0, matchByte - Math.floor(maxBytes / 4)))
  }
  const markBefore = 0 < start
  let room = maxBytes - (markBefore ? MARK_BYTES : 0)
  const rest = text.slice(start)
  const markAfter = capped || room < Buffer.byteLength(rest)
  if (markAfter) room -= MARK_BYTES
  const body = cutBytes(rest, room)
  const shown = `${markBefore ? MARK : ''}${body}${markAfter ? MARK : ''}`
  return { body, shown, markBefore, truncated: markBefore || markAfter }
}

/** The unit of the code point that holds byte `wanted`. */
function unitAtByte(text, wanted) {
  let bytes = 0
  let at = 0
  while (at < text.length) {
    const point = text.codePointAt(at)
    bytes += bytesOf(point)
    if (wanted < bytes) return at
    at += 0xffff < point ? 2 : 1
  }
  return at
}
