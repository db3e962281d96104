// How many columns a text takes, and where its lines break.
//
// A character is a grapheme cluster: an emoji sequence or a letter with its
// marks is never torn. Chinese, Japanese and Korean characters take two columns
// and may break anywhere; other text breaks at spaces, and inside a word only
// when the word is longer than a line.

const TAB = 8
/** Code points that take two columns: East Asian Wide and Fullwidth (UAX 11). */
const WIDE = [
  [0x1100, 0x115f], [0x2329, 0x232a], [0x2e80, 0x303e], [0x3041, 0x33ff], [0x3400, 0x4dbf],
  [0x4e00, 0x9fff], [0xa000, 0xa4cf], [0xa960, 0xa97c], [0xac00, 0xd7a3], [0xf900, 0xfaff],
  [0xfe10, 0xfe19], [0xfe30, 0xfe6f], [0xff01, 0xff60], [0xffe0, 0xffe6], [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff], [0x1f200, 0x1f2ff], [0x20000, 0x3fffd],
]
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u
const PLAIN = /^[ -~]*$/
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/**
 * Columns of a text without line feeds and tabs.
 *
 * @param {string} text
 * @returns {number}
 */
export function width(text) {
  if (PLAIN.test(text)) return text.length
  let columns = 0
  for (const { segment } of graphemes.segment(text)) columns += graphemeWidth(segment)
  return columns
}

/**
 * Breaks styled pieces into lines of at most `columns`.
 *
 * @param {readonly {text: string, hit: boolean}[]} pieces
 * @param {number} columns `Infinity` keeps the lines of the text
 * @returns {{text: string, hit: boolean}[][]} one list of pieces a line; at least one line
 */
export function wrap(pieces, columns) {
  if (columns === Infinity) return wholeLines(pieces)
  const lines = []
  let line = new Line()
  for (const [index, source] of sourceLines(pieces).entries()) {
    if (0 < index) {
      lines.push(line.pieces())
      line = new Line()
    }
    for (const word of words(source, columns)) {
      if (columns < line.columns + word.columns && 0 < line.columns) {
        lines.push(line.pieces())
        line = new Line()
        if (word.space) continue
      }
      line.add(word)
    }
  }
  lines.push(line.pieces())
  return lines
}

function wholeLines(pieces) {
  const lines = [[]]
  for (const { text, hit } of pieces) {
    for (const [index, part] of text.split('\n').entries()) {
      if (0 < index) lines.push([])
      if (part !== '') lines.at(-1).push({ text: part, hit })
    }
  }
  return lines
}

/** A line that is being filled. */
class Line {
  cells = []
  columns = 0

  add(word) {
    this.cells.push(...word.cells)
    this.columns += word.columns
  }

  /** Its pieces, without the spaces at its end. */
  pieces() {
    const cells = this.cells
    let length = cells.length
    while (0 < length && cells[length - 1].text === ' ') length -= 1
    const pieces = []
    for (const { text, hit } of cells.slice(0, length)) {
      const last = pieces.at(-1)
      if (last?.hit === hit) last.text += text
      else pieces.push({ text, hit })
    }
    return pieces
  }
}

/** The pieces of each line of the text, as cells of one character. */
function sourceLines(pieces) {
  const lines = [[]]
  let columns = 0
  for (const { text, hit } of pieces) {
    for (const { segment } of graphemes.segment(text)) {
      if (segment === '\n') {
        lines.push([])
        columns = 0
        continue
      }
      const tab = segment === '\t'
      const takes = tab ? TAB - (columns % TAB) : graphemeWidth(segment)
      const shown = tab ? Array(takes).fill({ text: ' ', hit, columns: 1 }) : [{ text: segment, hit, columns: takes }]
      lines.at(-1).push(...shown)
      columns += takes
    }
  }
  return lines
}

/** What must not break: words, spaces one by one, wide characters one by one. */
function* words(cells, columns) {
  let word = { cells: [], columns: 0, space: false }
  for (const cell of cells) {
    const alone = cell.text === ' ' || cell.columns === 2
    if (0 < word.cells.length && (alone || columns < word.columns + cell.columns)) {
      yield word
      word = { cells: [], columns: 0, space: false }
    }
    if (alone) yield { cells: [cell], columns: cell.columns, space: cell.text === ' ' }
    else {
      word.cells.push(cell)
      word.columns += cell.columns
    }
  }
  if (0 < word.cells.length) yield word
}

function graphemeWidth(grapheme) {
  const first = grapheme.codePointAt(0)
  if (first < 0x300) return NO_WIDTH.test(grapheme) ? 0 : 1
  if (NO_WIDTH.test(grapheme)) return 0
  if (EMOJI.test(grapheme) || isWide(first)) return 2
  return 1
}

function isWide(point) {
  return WIDE.some(([first, last]) => first <= point && point <= last)
}
