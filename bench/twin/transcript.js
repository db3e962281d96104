// The messages of a Session from what the store holds of it.

import { convert } from './convert.js'
import { isInline, orderEvents, sortInvocations } from './order.js'
import { project } from './project.js'

/** The rows of a Session, `sequence` being the index. Throws `Unreadable`. */
export function transcriptOf(session, store) {
  return transcriptFrom(session, store.read(session, isInline))
}

/** The same from records at hand: `runs` inline only, `records` of an unconverted Session. */
export function transcriptFrom(session, { runs, records, outcomes }) {
  const all = sortInvocations(records === undefined ? runs : convert(session, records, runs))
  const openings = new Map(all.map((run) => [run.runId, run.opening]))
  return project(orderEvents(all), openings, outcomes)
}
