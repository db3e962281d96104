// What a message says: the stored text, the redacted text that is matched, and
// the text that is shown.

import { attachmentsOf } from './attachments.js'
import { TOOL_RESULT_BYTES } from './limits.js'
import { redact, redactText, redactValue } from './redact.js'

/** What is searched before redaction, uncut; `undefined` for a message without text. */
export function storedText(message) {
  const prose = proseOf(message)
  if (prose === undefined) return undefined
  return joined([prose, ...namesOf(message)])
}

/**
 * What is matched: redacted as a whole, then cut. Prose and every attachment
 * name are redacted apart, so that a JSON message stays JSON beside a file.
 */
export function redactedText(message) {
  if (message.type === 'tool_result') return redactedResult(message)
  const prose = proseOf(message)
  if (prose === undefined) return undefined
  return { text: joined([redact(prose), ...namesOf(message).map(redact)]), cut: false }
}

/** What is shown: redacted and trimmed, without attachment names. */
export function shownText(message) {
  if (message.type === 'tool_result') {
    const result = redactedResult(message)
    return result === undefined ? { text: '', cut: false } : { text: result.text.trim(), cut: result.cut }
  }
  const prose = proseOf(message)
  return { text: prose === undefined ? '' : redact(prose).trim(), cut: false }
}

/** The text without attachment names: what the host calls the searchable text. */
export function proseOf(message) {
  switch (message.type) {
    case 'user':
      return text(message.displayText ?? message.text)
    case 'assistant':
      return text(message.text)
    case 'tool_call':
      return message.intent === '' ? undefined : text(message.intent)
    case 'tool_result':
      return hasResult(message) ? leaves(withoutKind(message.content)).join('\n') : undefined
    default:
      return undefined
  }
}

/** The longest beginning of whole code points that takes at most `limit` bytes. */
export function cutBytes(text, limit) {
  if (text.length * 3 <= limit) return text
  let bytes = 0
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at)
    bytes += bytesOf(point)
    if (limit < bytes) return text.slice(0, at)
    at += 0xffff < point ? 2 : 1
  }
  return text
}

/** Bytes of a code point in UTF-8. */
export function bytesOf(point) {
  if (point < 0x80) return 1
  if (point < 0x800) return 2
  return point < 0x10000 ? 3 : 4
}

function text(value) {
  return typeof value === 'string' ? value.toWellFormed() : undefined
}

function namesOf(message) {
  return message.type === 'user' ? attachmentsOf(message).map((attachment) => attachment.name.toWellFormed()) : []
}

function joined(parts) {
  return parts.filter((part) => part !== '').join('\n')
}

function redactedResult(message) {
  if (!hasResult(message)) return undefined
  const redacted = redactText(leaves(redactValue(withoutKind(message.content), redact)).join('\n'))
  const cut = cutBytes(redacted.toWellFormed(), TOOL_RESULT_BYTES)
  return { text: cut, cut: cut.length < redacted.length }
}

/** An archived result is a placeholder: what it stood for is not there. */
function hasResult(message) {
  const { content } = message
  return content !== undefined && content !== null && content.kind !== 'archived_tool_result'
}

function withoutKind(content) {
  if (typeof content !== 'object' || Array.isArray(content)) return content
  return Object.fromEntries(Object.entries(content).filter(([key]) => key !== 'kind'))
}

/** Every string in a value, in document order. */
function leaves(value, into = []) {
  if (typeof value === 'string') into.push(value.toWellFormed())
  else if (value !== null && typeof value === 'object') {
    for (const item of Object.values(value)) leaves(item, into)
  }
  return into
}
