// The events of a Session in the order of its transcript.

import { compareCodePoints } from './fold.js'
import { endingOf, isHandoffPause, isTerminal, thoughtId, Unreadable } from './project.js'

/** Child runs of agents are no part of a transcript; continuations and handoffs are. */
export function isInline({ opening }) {
  const lineage = opening.lineage ?? {}
  if (lineage.parentRunId === undefined || lineage.parentRunId === null) return true
  const continued = opening.source?.kind !== undefined && opening.source.kind !== 'fresh'
  return continued && (lineage.agentId === undefined || lineage.agentId === null)
}

/** Invocations in the order of the list that the host keeps. */
export function sortInvocations(invocations) {
  return [...invocations].sort(
    (left, right) =>
      left.openedAt - right.openedAt || compareCodePoints(left.invocationId, right.invocationId),
  )
}

/**
 * All events in order. `runs`: inline invocations in list order, each with
 * `events` (settled, by sequence: `{event, ordinal?}`) and `streams` (arriving
 * text: `{event, afterEventId}`). Throws {@link Unreadable}.
 */
export function orderEvents(runs) {
  const placed = runs.flatMap((run, runIndex) => {
    const ended = isEnded(run)
    if (ended) checkEnding(run)
    const merged = mergeStreams(run)
    const events = ended ? withOrdinals(merged) : present(merged.map(({ event }) => ({ event })))
    return events.map(({ event, ordinal }, index) => ({ event, ordinal, runIndex, index }))
  })
  return placed.sort(comparePlaces).map(({ event }) => event)
}

/** Whether a run has its terminal event. */
export function isEnded(run) {
  return run.events.some(({ event }) => event.invocationId === run.invocationId && isTerminal(event))
}

function comparePlaces(left, right) {
  if (left.ordinal !== undefined && right.ordinal !== undefined) {
    return (
      left.ordinal - right.ordinal ||
      left.index - right.index ||
      compareCodePoints(left.event.id, right.event.id)
    )
  }
  // What has an ordinal is settled: unfinished runs stand after all finished ones.
  if (left.ordinal !== undefined) return -1
  if (right.ordinal !== undefined) return 1
  return (
    left.event.ts - right.event.ts ||
    left.runIndex - right.runIndex ||
    left.index - right.index ||
    compareCodePoints(left.event.id, right.event.id)
  )
}

/** A finished run says exactly once, of itself, how it ended. */
function checkEnding(run) {
  const endings = run.events.filter(
    ({ event }) =>
      event.partial !== true &&
      event.sessionId === run.sessionId &&
      event.runId === run.runId &&
      event.turnId === run.turnId &&
      isTerminal(event),
  )
  const [ending] = endings
  const known = ending !== undefined && (endingOf(ending.event) !== undefined || isHandoffPause(ending.event))
  if (endings.length !== 1 || !known) throw new Unreadable(`run ${run.runId} has no one end`)
}

/** Arriving text stands after the event it followed when it began. */
function mergeStreams({ events, streams = [] }) {
  if (streams.length === 0) return events
  const byTime = (left, right) =>
    left.event.ts - right.event.ts || compareCodePoints(left.event.id, right.event.id)
  const known = new Set(events.map(({ event }) => event.id))
  const following = (id) => streams.filter(({ afterEventId }) => afterEventId === id).sort(byTime)
  const lost = streams.filter(({ afterEventId }) => afterEventId !== null && !known.has(afterEventId)).sort(byTime)
  return [...following(null), ...events.flatMap((entry) => [entry, ...following(entry.event.id)]), ...lost]
}

/** What has no ordinal takes that of the nearest earlier event of the run, else of the nearest later one. */
function withOrdinals(entries) {
  let last = entries.find(({ ordinal }) => ordinal !== undefined)?.ordinal
  return entries.map(({ event, ordinal }) => {
    last = ordinal ?? last
    return { event, ordinal: last }
  })
}

/**
 * An unfinished run is shown with what has arrived: partial text and thinking
 * count as settled, and thinking that has no text yet gets an empty message.
 */
function present(entries) {
  const isThought = ({ event }) =>
    event.role === 'model' && (event.content?.kind === 'text' || event.content?.kind === 'thinking')
  const shown = entries.map((entry) =>
    isThought(entry) && entry.event.partial === true ? { event: { ...entry.event, partial: false } } : entry,
  )
  const lastThinking = new Map()
  const withText = new Set()
  for (const entry of shown) {
    if (!isThought(entry)) continue
    const key = thoughtId(entry.event)
    if (entry.event.content.kind === 'text') withText.add(key)
    else lastThinking.set(key, entry)
  }
  const alone = new Set([...lastThinking].filter(([key]) => !withText.has(key)).map(([, entry]) => entry))
  return shown.flatMap((entry) => (alone.has(entry) ? [entry, emptyText(entry)] : [entry]))
}

function emptyText({ event }) {
  return {
    event: {
      ...event,
      id: `${event.id}:active-transcript-empty-text`,
      content: { kind: 'text', text: '' },
    },
  }
}
