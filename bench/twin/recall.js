// `recall`: what is known about these terms.

import { activityOf, gapsOf } from './coverage.js'
import { ENVELOPE_BYTES, NEIGHBOURS } from './limits.js'
import { hitsOf } from './match.js'
import { envelopeMaterials } from './materials.js'
import { passageOf } from './passage.js'
import { choose, rank } from './rank.js'
import { privacyRefusal, readRecallRequest, refusal } from './request.js'
import { eligibleSessions } from './sessions.js'
import { openSource } from './source.js'
import { StoreError } from './store.js'

const UNVERIFIED = 'Recall is unavailable because workspace privacy state could not be verified.'
/** JSON stores these in another form, so that a stored row does not show what it holds. */
// eslint-disable-next-line no-control-regex
const STORED_OTHERWISE = /["\\\u0000-\u001f\ufffd]/

export const ABORTED = refusal('aborted', 'Recall was aborted.')

/**
 * Answers `recall(request, deps, options)`. Options: `activeSessionId`,
 * `excludeTurnIds`, `includeArchived`, `abortSignal`, `maxSessions`, `explain`,
 * `fullScan`. Malformed requests are answers; only a caller's bug rejects.
 */
export async function twinRecall(input, deps, options = {}) {
  if (options.abortSignal?.aborted) return ABORTED
  const { request, refused } = readRecallRequest(input)
  if (refused !== undefined) return refused
  const forbidden = await privacyRefusal(deps, UNVERIFIED)
  if (forbidden !== undefined) return forbidden
  return withSource(deps, options, (source) => search(source, request, deps, options))
}

/** Opens the source of a call, closes it, and turns what it cannot read into an answer. */
export async function withSource(deps, options, work) {
  let source
  try {
    source = openSource(deps, options)
    return await work(source)
  } catch (error) {
    if (error instanceof StoreError) return refusal(error.reason, error.message)
    throw error
  } finally {
    source?.close()
  }
}

/** The turn in flight is no memory yet. */
export function exclusion({ activeSessionId, excludeTurnIds = [] }) {
  const turns = new Set(excludeTurnIds)
  return (session, row) => session.id === activeSessionId && turns.has(row.turnId)
}

async function search(source, request, deps, options) {
  const { terms } = request
  const { activeSessionId, maxSessions, abortSignal } = options
  const listed = await source.sessions()
  const visible = eligibleSessions(listed, options)
  const asked = visible.filter(({ id }) => request.sessionId === undefined || id === request.sessionId)
  const cap = Number.isInteger(maxSessions) && 0 <= maxSessions ? maxSessions : null
  const sessions = asked.slice(0, cap ?? asked.length).map((session, place) => ({ ...session, place }))

  const candidates = options.fullScan || terms.some((term) => STORED_OTHERWISE.test(term.folded))
    ? null
    : await source.candidates(sessions, terms)
  const hits = []
  const unreadable = []
  let truncatedToolResults = 0
  for (const session of sessions) {
    if (candidates !== null && !candidates.has(session.id)) continue
    if (abortSignal?.aborted) return ABORTED
    const rows = await source.read(session)
    if (rows === null) {
      if (source.couldHold(session, terms)) unreadable.push(session.id)
      continue
    }
    const found = hitsOf(session, rows, {
      ...request,
      isExcluded: exclusion(options),
      patterns: deps.syntheticTextPatterns,
    })
    hits.push(...found.hits)
    truncatedToolResults += found.truncatedResults
  }
  const corpusMessages = await source.count(sessions)
  const activeSession = listed.find((session) => session.id === activeSessionId)
  const { status, facts } = await source.facts({ activeSession, activeSessionId, terms })
  if (abortSignal?.aborted) return ABORTED

  const ranked = rank(hits, terms, corpusMessages)
  const scope = { eligibleIds: new Set(visible.map((session) => session.id)), activeSessionId }
  const { shown, dropped } = await cutPassages(source, choose(ranked, request.limit), hits, { terms, scope, options })

  const coverage = {
    sessionsEligible: asked.length,
    sessionsSearched: sessions.length - unreadable.length,
    sessionsUnreadable: unreadable,
    sessionCap: cap,
    corpusMessages,
    matchedMessages: hits.length,
    droppedPassages: dropped,
    truncatedToolResults,
    factsStatus: status,
    narrowed: candidates !== null,
    ...activityOf(sessions),
  }
  const missed = terms.filter((term) => !hits.some((hit) => hit.counts.has(term))).map((term) => term.text)
  return {
    ok: true,
    facts,
    passages: shown.map(({ passage }) => passage),
    materials: envelopeMaterials(shown, scope.eligibleIds),
    gaps: gapsOf({ missed, facts, coverage, searched: sessions.length }),
    coverage,
    scannedFully: candidates === null,
  }
}

/** Passages in rank order, each with what the ones before it left of the budget. */
async function cutPassages(source, chosen, hits, { terms, scope, options }) {
  const termsOfRows = new Map()
  for (const hit of hits) {
    if (!termsOfRows.has(hit.session)) termsOfRows.set(hit.session, new Map())
    termsOfRows.get(hit.session).set(hit.sequence, matchedTerms(hit, terms))
  }
  const shown = []
  let dropped = 0
  let room = ENVELOPE_BYTES
  for (const hit of chosen) {
    const { session, sequence } = hit
    const rows = await source.read(session)
    const cut = passageOf(session, rows, sequence, {
      before: NEIGHBOURS,
      after: NEIGHBOURS,
      termsAt: (index) => termsOfRows.get(session).get(index),
      leading: leadingTerm(hit),
      room,
      scope,
    })
    if (cut === undefined) {
      dropped += 1
      continue
    }
    room -= cut.bytes
    const passage = {
      ...cut.passage,
      matchedTerms: matchedTerms(hit, terms).map((term) => term.text),
      score: rounded(hit.score),
      explain: options.explain === true ? explanation(hit) : undefined,
    }
    shown.push({ passage, session, rows, anchor: sequence })
  }
  return { shown, dropped }
}

function matchedTerms(hit, terms) {
  return terms.filter((term) => hit.counts.has(term))
}

/** The term that added most; the first in the request when equal. */
function leadingTerm({ parts }) {
  return parts.reduce((best, part) => (best.contribution < part.contribution ? part : best)).term
}

/** `toFixed` rounds the exact value, half up. */
function rounded(score) {
  return Number(score.toFixed(4))
}

function explanation({ n, avgdl, parts }) {
  return { n, avgdl, terms: parts.map((part) => ({ ...part, term: part.term.text })) }
}
