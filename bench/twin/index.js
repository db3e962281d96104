// A plain JavaScript twin of Recall, written from the rules: what a TypeScript
// host does with node:sqlite, JSON.parse, regular expressions and
// normalize().toLowerCase(). It is the oracle of the tests and the yardstick of
// the benchmark.

import { HOST_SESSION_CAP } from './limits.js'
import { twinMaterial } from './material.js'
import { twinMore } from './more.js'
import { twinRecall } from './recall.js'
import { proseOf } from './text.js'
import { twinThreads } from './threads.js'

export { twinMaterial, twinMore, twinRecall, twinThreads }

/** The host's own names. `runRecall` keeps the host's cap on Sessions. */
export const runRecall = (request, deps, options = {}) =>
  twinRecall(request, deps, { ...options, maxSessions: options.maxSessions ?? HOST_SESSION_CAP })
export const expandRecallPassage = twinMore
export const fetchRecallMaterial = twinMaterial
export const recallSearchableText = proseOf
export const runThreadSearch = twinThreads
