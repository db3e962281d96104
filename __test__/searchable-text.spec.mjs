// recallSearchableText: what of a stored message a recall searches.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { recallSearchableText } from '../index.js'

const message = (type, more) => ({ type, id: 'm', turnId: 't', ts: 1, ...more })

test('the text of each kind of message', () => {
  const file = {
    kind: 'image', name: 'a.png', mimeType: 'image/png', bytes: 1,
    ref: { kind: 'session_file', sessionId: 's', relativePath: 'art_1' },
  }
  const content = { kind: 'text', text: 'one', more: [{ deep: 'two' }, 3, null] }
  const texts = [
    [message('user', { text: '模型', attachments: [file] }), '模型'],
    [message('user', { text: 'sent', displayText: 'shown' }), 'shown'],
    [message('assistant', { text: 'said', thinking: 'not said' }), 'said'],
    [message('tool_call', { toolName: 'Bash', intent: 'look' }), 'look'],
    [message('tool_call', { toolName: 'Bash' }), undefined],
    [message('tool_result', { toolUseId: 'c', isError: false, content }), 'one\ntwo'],
    [message('mode_change', { text: 'x' }), undefined],
  ]
  for (const [stored, text] of texts) assert.equal(recallSearchableText(stored), text)
})

test('what is no message has none, and nothing is thrown', () => {
  const cycle = message('user', { text: 'x' })
  cycle.cycle = cycle
  const hostile = new Proxy({}, { get: () => { throw new Error('mine') } })
  const odd = [undefined, null, 5, 5n, 'user', [], {}, () => {}, cycle, hostile, message('user', { text: 5n })]
  for (const value of odd) assert.equal(recallSearchableText(value), undefined)
  assert.equal(recallSearchableText(), undefined)
})

test('a lone surrogate is a replacement character', () => {
  assert.equal(recallSearchableText(message('user', { text: 'a\ud83db' })), 'a\ufffdb')
})
