// Requests are untrusted: every malformed shape is an answer, never a throw.

import { codePoints, fold } from './fold.js'
import {
  DEFAULT_LIMIT,
  MAX_ID_UNITS,
  MAX_LIMIT,
  MAX_QUESTION_CODE_POINTS,
  MAX_TERM_CODE_POINTS,
  MAX_TERMS,
  MORE_NEIGHBOURS,
} from './limits.js'
import { redact } from './redact.js'

/** An answer that is none. */
export function refusal(reason, message) {
  return { ok: false, reason, message }
}

const invalid = (message) => refusal('invalid_query', message)

/** `{request}`, or `{refused}`. Checks run in the order that the contract names. */
export function readRecallRequest(input) {
  if (!isObject(input)) return refused(invalid('Recall request must be an object.'))
  const terms = readTerms(input.terms)
  if (terms.refused) return terms
  const { limit = DEFAULT_LIMIT } = input
  if (!Number.isInteger(limit) || limit < 1 || MAX_LIMIT < limit) {
    return refused(invalid(`Recall limit must be between 1 and ${MAX_LIMIT}.`))
  }
  const sessionId = input.sessionId === undefined ? undefined : readId(input.sessionId)
  if (sessionId === null) return refused(invalid('Recall session id is invalid.'))
  const { since, until } = input
  if (!isBound(since) || !isBound(until)) return refused(invalid('Recall time bounds must be numbers.'))
  if (since !== undefined && until !== undefined && until < since) {
    return refused(invalid('Recall `since` must precede `until`.'))
  }
  if (input.question !== undefined && !isQuestion(input.question)) {
    return refused(invalid('Recall question is invalid.'))
  }
  return { request: { terms: terms.terms, limit, sessionId, since, until } }
}

/** A term that redaction would change could be used to ask what was redacted. */
export function isCredential(term) {
  return redact(term) !== term
}

/** `{request: {sessionId, anchorMessageId, before, after}}`, or `{refused}`. */
export function readMoreRequest(input) {
  if (!isObject(input)) return refused(invalid('Expand request must be an object.'))
  const named = input.anchor === undefined ? [input.sessionId, input.anchorMessageId] : splitId(input.anchor)
  const [sessionId, anchorMessageId] = named.map(readId)
  if (sessionId === null || anchorMessageId === null) {
    return refused(invalid('Expand requires a Session id and a passage anchor.'))
  }
  const { before = MORE_NEIGHBOURS, after = MORE_NEIGHBOURS } = input
  if (!isNeighbourCount(before) || !isNeighbourCount(after)) {
    return refused(invalid(`Expand bounds must be between 0 and ${MORE_NEIGHBOURS}.`))
  }
  return { request: { sessionId, anchorMessageId, before, after } }
}

/** `{request: {sessionId, materialId}}`, or `{refused}`. */
export function readMaterialRequest(input) {
  if (!isObject(input)) return refused(invalid('Material request must be an object.'))
  const named = input.id === undefined ? [input.sessionId, input.materialId] : splitId(input.id)
  const [sessionId, materialId] = named.map(readId)
  if (sessionId === null || materialId === null) {
    return refused(invalid('A material is named by its Session and its material id.'))
  }
  return { request: { sessionId, materialId } }
}

/**
 * What the host says about privacy: `undefined` when the call may go on. Recall
 * tells a state that could not be verified apart from one that forbids.
 */
export async function privacyRefusal(deps, unverified = 'Recall is unavailable while incognito is active.') {
  let privacy
  try {
    privacy = await deps.getPrivacyContext()
  } catch {
    return refusal('incognito_active', unverified)
  }
  if (!isObject(privacy) || typeof privacy.incognitoActive !== 'boolean') {
    return refusal('incognito_active', unverified)
  }
  if (!privacy.incognitoActive) return undefined
  return refusal('incognito_active', 'Recall is unavailable while incognito is active.')
}

/** A trimmed id, or null. */
export function readId(value) {
  if (typeof value !== 'string') return null
  const id = value.trim()
  return id === '' || MAX_ID_UNITS < id.length ? null : id
}

export function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function readTerms(input) {
  if (!Array.isArray(input) || input.length === 0) return refused(invalid('Recall requires at least one term.'))
  if (MAX_TERMS < input.length) return refused(invalid(`Recall accepts at most ${MAX_TERMS} terms.`))
  const terms = []
  const seen = new Set()
  for (const item of input) {
    if (typeof item !== 'string') return refused(invalid('Recall terms must be strings.'))
    const text = item.trim().toWellFormed()
    if (text === '') return refused(invalid('Recall terms must not be empty.'))
    if (MAX_TERM_CODE_POINTS < codePoints(text)) {
      return refused(invalid(`Recall terms must be ${MAX_TERM_CODE_POINTS} characters or fewer.`))
    }
    const folded = fold(text)
    if (seen.has(folded)) continue
    seen.add(folded)
    terms.push({ text, folded })
  }
  if (terms.some((term) => isCredential(term.text))) {
    return refused(invalid('A recall term contains credential material and cannot be searched.'))
  }
  return { terms }
}

function isQuestion(value) {
  if (typeof value !== 'string') return false
  const question = value.trim()
  return question !== '' && codePoints(question) <= MAX_QUESTION_CODE_POINTS
}

/** Ids that stand in one string are parted by its first slash. */
function splitId(value) {
  if (typeof value !== 'string') return [undefined, undefined]
  const at = value.indexOf('/')
  return at === -1 ? [undefined, undefined] : [value.slice(0, at), value.slice(at + 1)]
}

function isBound(value) {
  return value === undefined || (typeof value === 'number' && Number.isFinite(value) && 0 <= value)
}

function isNeighbourCount(value) {
  return Number.isInteger(value) && 0 <= value && value <= MORE_NEIGHBOURS
}

function refused(answer) {
  return { refused: answer }
}
