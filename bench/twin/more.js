// `recallMore`: what stands around a passage.

import { ENVELOPE_BYTES } from './limits.js'
import { hasContents, passageOf } from './passage.js'
import { ABORTED, exclusion, withSource } from './recall.js'
import { privacyRefusal, readMoreRequest, refusal } from './request.js'
import { eligibleSessions } from './sessions.js'

/** Answers `recallMore(request, deps, options)`: `{ok: true, passage}`. */
export async function twinMore(input, deps, options = {}) {
  if (options.abortSignal?.aborted) return ABORTED
  const { request, refused } = readMoreRequest(input)
  if (refused !== undefined) return refused
  const forbidden = await privacyRefusal(deps)
  if (forbidden !== undefined) return forbidden
  return withSource(deps, options, (source) => expand(source, request, options))
}

async function expand(source, { sessionId, anchorMessageId, before, after }, options) {
  const eligible = eligibleSessions(await source.sessions(), options)
  const session = eligible.find((candidate) => candidate.id === sessionId)
  const rows = session === undefined ? null : await source.read(session)
  if (options.abortSignal?.aborted) return ABORTED
  if (rows === null) return refusal('not_found', 'That Session was not found.')
  const scope = { eligibleIds: new Set(eligible.map(({ id }) => id)), activeSessionId: options.activeSessionId }
  // Ids are not unique: the first row that has something to show is meant.
  const anchor = rows.findIndex((row) => row.id === anchorMessageId && hasContents(row, scope))
  if (anchor === -1 || exclusion(options)(session, rows[anchor])) {
    return refusal('not_found', 'That passage anchor was not found.')
  }
  const cut = passageOf(session, rows, anchor, { before, after, termsAt: () => undefined, room: ENVELOPE_BYTES, scope })
  if (cut === undefined) return refusal('not_found', 'That passage anchor was not found.')
  return { ok: true, passage: { ...cut.passage, matchedTerms: [], score: 0 } }
}
