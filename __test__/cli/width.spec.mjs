import assert from 'node:assert/strict'
import { test } from 'node:test'

import { width, wrap } from '../../bin/width.js'

const plain = (text) => [{ text, hit: false }]
const lines = (text, columns) => wrap(plain(text), columns).map((line) => line.map((piece) => piece.text).join(''))

test('wide characters take two columns, marks none', () => {
  const widths = { abc: 3, 模型: 4, 'ｱ': 1, 'Ａ': 2, '한국': 4, 'e\u0301': 1, '🙏': 2, '👩‍💻': 2, '⚓\ufe0f': 2, '…': 1, '\u200b': 0 }
  for (const [text, columns] of Object.entries(widths)) assert.equal(width(text), columns, text)
})

test('text breaks at spaces, Chinese anywhere, and the space at a break goes', () => {
  assert.deepEqual(lines('the context window is large', 12), ['the context', 'window is', 'large'])
  assert.deepEqual(lines('上下文窗口', 6), ['上下文', '窗口'])
  assert.deepEqual(lines('设置 contextWindow 到 200k', 14), ['设置', 'contextWindow', '到 200k'])
})

test('a word longer than a line is cut between characters', () => {
  assert.deepEqual(lines('abcdefghij', 4), ['abcd', 'efgh', 'ij'])
  assert.deepEqual(lines('ae\u0301ae\u0301a', 2), ['ae\u0301', 'ae\u0301', 'a'])
})

test('lines of the text stay, indented ones too', () => {
  assert.deepEqual(lines('a\n\n  b\tc', 40), ['a', '', '  b     c'])
  assert.deepEqual(lines('a\n\n  b\tc', Infinity), ['a', '', '  b\tc'])
})

test('no line is wider than asked, and nothing is lost but spaces', () => {
  const text = 'Rank before you cut: 先排序再截断 👩‍💻 and naïve cafés, ＡＢＣ１２３ 断裂'.repeat(3)
  for (let columns = 2; columns < 60; columns += 1) {
    const broken = lines(text, columns)
    for (const line of broken) assert.ok(width(line) <= columns, `${columns}: ${line}`)
    assert.equal(broken.join('').replaceAll(' ', ''), text.replaceAll(' ', ''))
  }
})

test('a match that is broken stays a match on both lines', () => {
  const pieces = [{ text: '看', hit: false }, { text: '上下文', hit: true }]
  assert.deepEqual(wrap(pieces, 4), [
    [{ text: '看', hit: false }, { text: '上', hit: true }],
    [{ text: '下文', hit: true }],
  ])
})
