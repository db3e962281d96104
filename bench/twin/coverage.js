// What was searched and what was not: as data, and in sentences for the model.

/** The years that a Date can hold. */
const MAX_DATE = 8.64e15

/** `{oldestActivityAt, newestActivityAt}` of the Sessions that were searched. */
export function activityOf(sessions) {
  const dates = sessions
    .map((session) => session.lastMessageAt)
    .filter((date) => date !== undefined && Math.abs(date) <= MAX_DATE)
  if (dates.length === 0) return { oldestActivityAt: null, newestActivityAt: null }
  return {
    oldestActivityAt: dates.reduce((left, right) => Math.min(left, right)),
    newestActivityAt: dates.reduce((left, right) => Math.max(left, right)),
  }
}

/** The sentences, in their order. */
export function gapsOf({ missed, facts, coverage, searched }) {
  const { sessionCap: cap, sessionsUnreadable, droppedPassages, oldestActivityAt, factsStatus } = coverage
  const sentences = []
  if (0 < missed.length) sentences.push(`No transcript match for: ${missed.join(', ')}.`)
  if (factsStatus === 'unavailable') sentences.push('The facts store is unavailable.')
  else if (facts.length === 0) sentences.push('No distilled facts matched.')
  sentences.push(`Searched ${searched} Session(s).`)
  if (oldestActivityAt !== null) {
    sentences.push(`Oldest Session activity ${new Date(oldestActivityAt).toISOString().slice(0, 10)}.`)
  }
  if (cap !== null && cap <= searched) {
    sentences.push(`Session scan capped at ${cap}; older Sessions were not read.`)
  }
  if (0 < sessionsUnreadable.length) sentences.push(`${sessionsUnreadable.length} Session(s) could not be read.`)
  if (0 < droppedPassages) sentences.push(`${droppedPassages} passage(s) did not fit the size limit.`)
  return sentences.join(' ')
}
