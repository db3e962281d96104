// Scores and choice: Okapi BM25 over the verified hits, then a quota.

import { compareCodePoints } from './fold.js'
import { B, K1, TOOL_RESULT_WEIGHT } from './limits.js'
import { log } from './log.js'

/** The hits with their scores, the best first. `terms` in the order of the request. */
export function rank(hits, terms, corpusMessages) {
  const n = Math.max(corpusMessages, hits.length)
  const avgdl = hits.reduce((sum, hit) => sum + hit.length, 0) / hits.length
  const df = new Map(terms.map((term) => [term, hits.filter((hit) => hit.counts.has(term)).length]))
  const ranked = hits.map((hit) => {
    const weight = hit.row.type === 'tool_result' ? TOOL_RESULT_WEIGHT : 1
    const parts = terms
      .filter((term) => hit.counts.has(term))
      .map((term) => {
        const tf = hit.counts.get(term)
        const idf = log((n - df.get(term) + 0.5) / (df.get(term) + 0.5) + 1)
        const added = (idf * (tf * (K1 + 1))) / (tf + K1 * (1 - B + B * (hit.length / avgdl)))
        return { term, tf, df: df.get(term), idf, length: hit.length, weight, contribution: added * weight }
      })
    const score = parts.reduce((sum, part) => sum + part.contribution, 0)
    return { ...hit, parts, score, n, avgdl }
  })
  return ranked.sort(compareHits)
}

/** Better, newer, then by ids and places, so that equal hits have one order. */
function compareHits(left, right) {
  return (
    right.score - left.score ||
    right.row.ts - left.row.ts ||
    compareCodePoints(left.row.id, right.row.id) ||
    left.session.place - right.session.place ||
    left.sequence - right.sequence
  )
}

/** The passages: one a turn, at most a third of the places for one Session while others have something. */
export function choose(ranked, limit) {
  const perSession = Math.max(1, Math.floor(limit / 3))
  const best = bestOfTurns(ranked)
  const chosen = new Set()
  const taken = new Map()
  for (const hit of best) {
    if (chosen.size === limit) break
    const count = taken.get(hit.session) ?? 0
    if (count === perSession) continue
    taken.set(hit.session, count + 1)
    chosen.add(hit)
  }
  for (const hit of best) {
    if (chosen.size === limit) break
    chosen.add(hit)
  }
  return best.filter((hit) => chosen.has(hit))
}

function bestOfTurns(ranked) {
  const seen = new Map()
  return ranked.filter(({ session, row: { turnId } }) => {
    if (turnId === undefined || turnId === null) return true
    if (!seen.has(session)) seen.set(session, new Set())
    const turns = seen.get(session)
    if (turns.has(turnId)) return false
    turns.add(turnId)
    return true
  })
}
