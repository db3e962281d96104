// Redaction: what must never leave. Applied to a whole text before it is
// matched and before it is cut.

import { REDACTED } from './limits.js'

const LINE_CONTINUATION = '\\\\\\r?\\n'
const SEPARATOR = `(?:[ \\t]|${LINE_CONTINUATION})+`
const OPTIONAL_SEPARATOR = `(?:[ \\t]|${LINE_CONTINUATION})*`
const VALUE = `(?:${LINE_CONTINUATION}|[^\\s"'&<>])+`
const SHELL_TOKEN =
  `("(?:\\\\[\\s\\S]|[^"\\\\])*"|'(?:\\\\[\\s\\S]|[^'\\\\])*'|(?:${LINE_CONTINUATION}|[^\\s;&|()<>])+)`

/** The word `text`, which a shell line may be broken in the middle of. */
function brokenWord(text) {
  return [...text].map((letter) => (letter === '-' ? '\\-' : letter)).join(`(?:${LINE_CONTINUATION})*`)
}

const USER_INFO = /(https?:\/\/)[^\s\/?#]+@/gi
const URL_QUERY = /([?&])([^=\s&?#]+)=([^&\s#]*)/g
const QUOTED_KEY = /((?:"([^"\\]+)"\s*:\s*"))(?:\\.|[^"\\])*/g
const AUTHORIZATION =
  /(^|[^A-Za-z0-9_])(['"]?(?:proxy[-_]?authorization|authorization)['"]?\s*:\s*['"]?(?:bearer|basic|token)\s+)[^\s"'<>]+/gim
const BEARER = /\b(Bearer\s+)[A-Za-z0-9._~+/-]+=*/gi
const AWS_CLI = new RegExp(
  `(^|[\\s;&|()])((?:aws${SEPARATOR}configure${SEPARATOR}set${SEPARATOR}${brokenWord('aws_secret_access_key')}` +
    `|${brokenWord('--secret-access-key')})${SEPARATOR})${SHELL_TOKEN}`,
  'gm',
)
const AWS_ENVIRONMENT = new RegExp(
  `\\b(${brokenWord('AWS_SECRET_ACCESS_KEY')}${OPTIONAL_SEPARATOR}[:=]${OPTIONAL_SEPARATOR}['"]?)${VALUE}`,
  'gi',
)
const ASSIGNMENT = new RegExp(
  `\\b(([A-Za-z][A-Za-z0-9_-]*)${OPTIONAL_SEPARATOR}[:=]${OPTIONAL_SEPARATOR}['"]?)${VALUE}`,
  'g',
)
const TOKENS = [
  /\b(sk-(?:ant-)?[a-z0-9_-]{8,})\b/gi,
  /\b(AIza[0-9A-Za-z_-]{20,})\b/g,
  /\b(gh[pousr]_[0-9A-Za-z_]{20,})\b/g,
  /\b(xox[abprs]-[0-9A-Za-z-]{10,})\b/g,
  /\b([a-f0-9]{40,})\b/gi,
]

const SENSITIVE_WORDS = new Set([
  'auth',
  'authorization',
  'credential',
  'credentials',
  'passwd',
  'password',
  'secret',
  'token',
])
const KEY_OF = new Set(['api', 'private', 'secret', 'ssh'])
const LONG_KEYS = new Set(['service_account_key', 'secret_access_key'])

/** The words of a key: `accessToken`, `access-token` and `ACCESS_TOKEN` are the same two. */
function words(key) {
  return key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}

/** Whether the value under this key is a secret. */
export function isSensitiveKey(key) {
  const parts = words(key)
  const last = parts.at(-1)
  if (SENSITIVE_WORDS.has(last)) return true
  if (last !== 'key') return false
  if (parts.length === 1 || KEY_OF.has(parts.at(-2))) return true
  return LONG_KEYS.has(parts.slice(-3).join('_'))
}

/** `authorization: …` has rules of its own; the assignment rule would cut its scheme. */
function isAuthorizationKey(key) {
  const last = words(key).at(-1)
  return last === 'auth' || last === 'authorization'
}

/** The token in its quotes, when it stands in some. */
function redactedToken(token) {
  const quote = token[0]
  return (quote === '"' || quote === "'") && token.at(-1) === quote ? `${quote}${REDACTED}${quote}` : REDACTED
}

/** The rules for prose, code and everything that is not JSON, in their order. */
export function redactText(text) {
  let out = text
    .replace(USER_INFO, `$1${REDACTED}@`)
    .replace(URL_QUERY, (all, before, key) => (isSensitiveKey(key) ? `${before}${key}=${REDACTED}` : all))
    .replace(QUOTED_KEY, (all, before, key) => (isSensitiveKey(key) ? `${before}${REDACTED}` : all))
    .replace(AUTHORIZATION, `$1$2${REDACTED}`)
    .replace(BEARER, `$1${REDACTED}`)
    .replace(AWS_CLI, (all, edge, command, token) => `${edge}${command}${redactedToken(token)}`)
    .replace(AWS_ENVIRONMENT, `$1${REDACTED}`)
    .replace(ASSIGNMENT, (all, before, key) =>
      isSensitiveKey(key) && !isAuthorizationKey(key) ? `${before}${REDACTED}` : all,
    )
  for (const token of TOKENS) out = out.replace(token, REDACTED)
  return out
}

/**
 * A text on its own: key by key when it is a JSON object, array or string, else
 * by the text rules. A JSON text in which nothing is secret stays as it is.
 */
export function redact(text) {
  const json = redactJson(text)
  return json === undefined ? redactText(text) : json
}

function redactJson(text) {
  // Cheap test first: JSON.parse throws, and throwing on every prose message is slow.
  if (!/^[\t\n\r ]*["[{]/.test(text)) return undefined
  try {
    const value = JSON.parse(text)
    if (value === null || (typeof value !== 'object' && typeof value !== 'string')) return undefined
    const redacted = redactValue(value, redactText)
    return redacted === value ? text : JSON.stringify(redacted)
  } catch {
    return undefined
  }
}

/**
 * A value with the values of its sensitive keys replaced, whatever their type,
 * and `redactString` applied to its strings. The same value when nothing changed.
 */
export function redactValue(value, redactString) {
  if (typeof value === 'string') return redactString(value)
  if (value === null || typeof value !== 'object') return value
  let changed = false
  if (Array.isArray(value)) {
    const items = value.map((item) => {
      const redacted = redactValue(item, redactString)
      changed ||= redacted !== item
      return redacted
    })
    return changed ? items : value
  }
  const entries = Object.entries(value).map(([key, item]) => {
    const redacted = isSensitiveKey(key) ? REDACTED : redactValue(item, redactString)
    changed ||= redacted !== item
    return [key, redacted]
  })
  // `fromEntries` defines own properties, so that a key `__proto__` stays a key.
  return changed ? Object.fromEntries(entries) : value
}
