import assert from 'node:assert/strict'
import { test } from 'node:test'

import { safeJson, safeLine, safePieces, safeText } from '../../bin/safe.js'

const ESC = '\u001b'

test('escape sequences go, with what they carry', () => {
  assert.equal(safeText(`a${ESC}[31;1mred${ESC}[0m b`), 'ared b')
  assert.equal(safeText(`a${ESC}]0;owned\u0007b`), 'ab')
  assert.equal(safeText(`a${ESC}]52;c;cm0gLXJm${ESC}\\b`), 'ab')
  assert.equal(safeText(`a${ESC}P1$r${ESC}\\b`), 'ab')
  assert.equal(safeText(`a${ESC}(Bb${ESC}7c`), 'abc')
  assert.equal(safeText('a\u009b2Jb\u009d0;title\u009cc'), 'abc')
})

test('a sequence without its end hides nothing', () => {
  assert.equal(safeText(`a${ESC}]0;still here\nand here`), 'a0;still here\nand here')
  assert.equal(safeText(`a${ESC}`), 'a')
  assert.equal(safeText(`a${ESC}[`), 'a')
})

test('line feeds and tabs stay, other control characters go', () => {
  assert.equal(safeText('a\tb\nc\r\nd\re\u2028f\u0000g\u0007h\u007fi\u0085j'), 'a\tb\nc\nd\ne\nfghi\nj')
})

test('characters that reorder text are shown by number', () => {
  assert.equal(safeText('user\u202Etxt.exe\u2066x\u2069'), 'user<U+202E>txt.exe<U+2066>x<U+2069>')
  assert.equal(safeText('שלום\u200f עולם'), 'שלום\u200f עולם')
})

test('nothing harmful is left of any control character, alone or in pairs', () => {
  const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((c) => !/[ -~]/.test(c))
  for (const first of controls) {
    for (const second of [...controls, '[', ']', 'P', 'X', '\\', 'm', '']) {
      assert.doesNotMatch(safeText(`a${first}${second}31mb`), /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
    }
  }
})

test('matches keep their place when something before or within them goes', () => {
  const text = `x${ESC}[1m模型${ESC}[0m y`
  const start = text.indexOf('模型')
  assert.deepEqual(safePieces(text, [{ term: '模型', start, end: start + 2 }]), [
    { text: 'x', hit: false },
    { text: '模型', hit: true },
    { text: ' y', hit: false },
  ])
  const torn = 'mo\u0000del here'
  assert.deepEqual(safePieces(torn, [{ start: 0, end: 6 }]), [
    { text: 'model', hit: true },
    { text: ' here', hit: false },
  ])
})

test('overlapping matches are one', () => {
  assert.deepEqual(safePieces('abcdef', [{ start: 2, end: 4 }, { start: 1, end: 3 }, { start: 4, end: 5 }]), [
    { text: 'a', hit: false },
    { text: 'bcde', hit: true },
    { text: 'f', hit: false },
  ])
})

test('pieces put together are the safe text, wherever the matches stand', () => {
  const text = `a${ESC}[31m模型\r\nb\u202Ec${ESC}]0;t\u0007d`
  for (let start = 0; start < text.length; start += 1) {
    for (let end = start + 1; end <= text.length; end += 1) {
      const pieces = safePieces(text, [{ start, end }])
      assert.equal(pieces.map((piece) => piece.text).join(''), safeText(text))
    }
  }
})

test('a title stays on its line', () => {
  assert.equal(safeLine(` a\n\n b\u2028c${ESC}[2J\t`), 'a b c')
})

test('JSON is equal as data and harmless as characters', () => {
  const value = { text: `${ESC}[2J \u009b \u202e \u2028 \u007f 模型 \ud83d\ude4f`, n: 1 }
  const json = safeJson(value)
  assert.deepEqual(JSON.parse(json), value)
  assert.doesNotMatch(json, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/)
})
