import assert from 'node:assert/strict'
import { test } from 'node:test'

import { styles, terminalOf } from '../../bin/terminal.js'

const tty = { isTTY: true, columns: 80 }
const pipe = {}
const colour = (stream, env) => terminalOf(stream, env).colour
const columns = (stream, env) => terminalOf(stream, env).columns

test('colours are for terminals, unless the environment says otherwise', () => {
  assert.equal(colour(tty, {}), true)
  assert.equal(colour(pipe, {}), false)
  assert.equal(colour(tty, { NO_COLOR: '1' }), false)
  assert.equal(colour(tty, { NO_COLOR: '' }), true)
  assert.equal(colour(tty, { TERM: 'dumb' }), false)
  assert.equal(colour(pipe, { FORCE_COLOR: '1' }), true)
  assert.equal(colour(pipe, { FORCE_COLOR: '', NO_COLOR: '1' }), true)
  assert.equal(colour(tty, { FORCE_COLOR: '0' }), false)
})

test('a terminal breaks lines at its width, a pipe does not', () => {
  assert.equal(columns(tty, {}), 80)
  assert.equal(columns({ isTTY: true, columns: 5 }, {}), 20)
  assert.equal(columns(pipe, {}), Infinity)
  assert.equal(columns(pipe, { COLUMNS: '72' }), 72)
  assert.equal(columns(pipe, { COLUMNS: 'wide' }), Infinity)
})

test('without colour a style changes nothing', () => {
  for (const style of Object.values(styles(false))) assert.equal(style('模型'), '模型')
  for (const style of Object.values(styles(true))) assert.match(style('模型'), /^\u001b\[[\d;]+m模型\u001b\[[\d;]+m$/)
})
