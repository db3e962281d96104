// Where a term stands in a text, in UTF-16 units of the text as it is shown.
// Folding changes lengths (İ grows, NFD shrinks), so a hit in the folded text
// is mapped back through the pieces that fold independently of each other.

import { fold } from './fold.js'

/** Code points that can join the one before: marks, Hangul vowels and finals, two Kirat Rai vowel signs. */
const JOINS = /^[\p{M}\u1160-\u11ff\ud7b0-\ud7ff\u{16d63}\u{16d67}]$/u
// eslint-disable-next-line no-control-regex
const ASCII = /^[\u0000-\u007f]*$/

/** All non-overlapping hits of a folded term as `[start, end]`. */
export function spansOf(text, foldedTerm) {
  const map = foldMap(text)
  const spans = []
  let at = map.folded.indexOf(foldedTerm)
  while (at !== -1) {
    spans.push(map.span(at, at + foldedTerm.length))
    at = map.folded.indexOf(foldedTerm, at + foldedTerm.length)
  }
  return spans
}

/** The first hit of a folded term as `[start, end]`, if there is one. */
export function firstSpan(text, foldedTerm) {
  const folded = fold(text)
  const at = folded.indexOf(foldedTerm)
  if (at === -1) return undefined
  return foldMap(text).span(at, at + foldedTerm.length)
}

/** A text, folded, with the way back. */
export function foldMap(text) {
  const folded = fold(text)
  if (ASCII.test(text)) return { folded, span: (start, end) => [start, end] }
  const pieces = piecesOf(text.toWellFormed())
  return {
    folded,
    span(start, end) {
      const first = pieces[pieceAt(pieces, start)]
      const last = pieces[pieceAt(pieces, end - 1)]
      return [startIn(first, folded, start), endIn(last, folded, end)]
    },
  }
}

function piecesOf(text) {
  const pieces = []
  let start = 0
  let foldedStart = 0
  const close = (end) => {
    const source = text.slice(start, end)
    const length = fold(source).length
    pieces.push({ source, start, foldedStart, foldedEnd: foldedStart + length })
    start = end
    foldedStart += length
  }
  let at = 0
  for (const point of text) {
    if (start < at && !JOINS.test(point)) close(at)
    at += point.length
  }
  if (start < at) close(at)
  return pieces
}

/** The piece that holds a unit of the folded text (binary search). */
function pieceAt(pieces, unit) {
  let low = 0
  let high = pieces.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (pieces[middle].foldedEnd <= unit) low = middle + 1
    else high = middle
  }
  return low
}

/** The latest start whose rest of the piece still folds to what the hit begins with. */
function startIn(piece, folded, unit) {
  if (unit === piece.foldedStart) return piece.start
  const wanted = sigmaFree(folded.slice(unit, piece.foldedEnd))
  for (const start of boundaries(piece.source).reverse()) {
    if (sigmaFree(fold(piece.source.slice(start))).endsWith(wanted)) return piece.start + start
  }
  return piece.start
}

/** The earliest end up to which the piece already folds to what the hit ends with. */
function endIn(piece, folded, unit) {
  const whole = piece.start + piece.source.length
  if (unit === piece.foldedEnd) return whole
  const wanted = sigmaFree(folded.slice(piece.foldedStart, unit))
  for (const end of [...boundaries(piece.source).slice(1), piece.source.length]) {
    if (sigmaFree(fold(piece.source.slice(0, end))).startsWith(wanted)) return piece.start + end
  }
  return whole
}

function boundaries(source) {
  const starts = []
  let at = 0
  for (const point of source) {
    starts.push(at)
    at += point.length
  }
  return starts
}

/** Which sigma it is depends on the letters around, which a piece does not see. */
function sigmaFree(text) {
  return text.replaceAll('ς', 'σ')
}
