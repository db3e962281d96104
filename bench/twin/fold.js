// Folding: how two spellings are found to be the same.

// eslint-disable-next-line no-control-regex
const ASCII = /^[\u0000-\u007f]*$/

/**
 * NFC(lowercase(NFC(x))), with U+FFFD for every lone surrogate. The second NFC
 * is needed because lowering can bring letter and mark together that compose
 * (`J̌` lowers to `ǰ`).
 */
export function fold(text) {
  if (ASCII.test(text)) return text.toLowerCase()
  return text.toWellFormed().normalize('NFC').toLowerCase().normalize('NFC')
}

/**
 * Whether lowering A-Z alone, which is all that SQLite's `lower()` does, is not
 * yet the fold: such a row may hold a term that `instr(lower(row), term)` misses.
 */
export function foldUnstable(text) {
  if (ASCII.test(text)) return false
  const wellFormed = text.toWellFormed()
  const folded = fold(wellFormed)
  if (folded.length !== wellFormed.length) return true
  for (let at = 0; at < folded.length; at += 1) {
    if (folded.charCodeAt(at) !== lowerAscii(wellFormed.charCodeAt(at))) return true
  }
  return false
}

function lowerAscii(unit) {
  return 0x41 <= unit && unit <= 0x5a ? unit + 0x20 : unit
}

/** Non-overlapping occurrences of a folded term in a folded text. */
export function occurrences(foldedText, foldedTerm) {
  let count = 0
  let at = foldedText.indexOf(foldedTerm)
  while (at !== -1) {
    count += 1
    at = foldedText.indexOf(foldedTerm, at + foldedTerm.length)
  }
  return count
}

/** The length of a text in code points. */
export function codePoints(text) {
  let count = text.length
  for (let at = 0; at < text.length - 1; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit < 0xd800 || 0xdbff < unit) continue
    const next = text.charCodeAt(at + 1)
    if (0xdc00 <= next && next <= 0xdfff) {
      count -= 1
      at += 1
    }
  }
  return count
}

/** Order by code points (JavaScript's `<` orders by UTF-16 units). */
export function compareCodePoints(left, right) {
  if (left === right) return 0
  const shorter = Math.min(left.length, right.length)
  let at = 0
  while (at < shorter && left.charCodeAt(at) === right.charCodeAt(at)) at += 1
  if (at === shorter) return left.length - right.length
  const a = left.charCodeAt(at)
  const b = right.charCodeAt(at)
  // A surrogate stands for a code point above every other unit.
  const aSurrogate = 0xd800 <= a && a <= 0xdfff
  const bSurrogate = 0xd800 <= b && b <= 0xdfff
  if (aSurrogate !== bSurrogate) return aSurrogate ? 1 : -1
  return a - b
}
