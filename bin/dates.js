// Bounds in time, as a person writes them, to epoch milliseconds.
//
// Both bounds are inclusive, as in the request. A bare day is the local day:
// from its first millisecond as `--since`, to its last as `--until`.

import { UsageFailure } from './failure.js'

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/
const INSTANT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?$/i
const EPOCH = /^\d{1,16}$/
const COMPACT_DAY = /^(19|20)(\d{2})(\d{2})(\d{2})$/

/**
 * The bound that `text` names.
 *
 * @param {string} text `YYYY-MM-DD`, ISO 8601 with a time, or epoch milliseconds
 * @param {'since' | 'until'} side which end of a bare day is meant
 * @returns {number} epoch milliseconds
 * @throws {UsageFailure} when it is none of these, or no day of the calendar
 */
export function parseBound(text, side) {
  const value = text.trim()
  const day = DAY.exec(value)
  if (day) return dayBound(day, side, text)
  const instant = INSTANT.exec(value)
  if (instant) return instantBound(instant, side, text)
  const compact = COMPACT_DAY.exec(value)
  if (compact) {
    const [, century, year, month, date] = compact
    throw new UsageFailure(`--${side} ${text}: write the day as ${century}${year}-${month}-${date}`)
  }
  if (EPOCH.test(value)) return Number(value)
  throw new UsageFailure(
    `--${side} ${text}: not a date; use YYYY-MM-DD, ISO 8601 such as 2026-09-01T14:30, or epoch milliseconds`,
  )
}

function dayBound([, year, month, date], side, text) {
  const first = localMidnight(Number(year), Number(month), Number(date))
  if (first === undefined) throw noSuchDay(side, text)
  if (side === 'since') return first.getTime()
  // The next local midnight, not 24 hours on: a day has 23 or 25 when clocks change.
  const next = new Date(first)
  next.setDate(next.getDate() + 1)
  return next.getTime() - 1
}

function instantBound([, day, time, zone = ''], side, text) {
  const [, year, month, date] = DAY.exec(day)
  if (localMidnight(Number(year), Number(month), Number(date)) === undefined) throw noSuchDay(side, text)
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
  const parsed = Date.parse(`${day}T${time}${offset}`)
  if (Number.isNaN(parsed)) throw new UsageFailure(`--${side} ${text}: there is no such time`)
  return parsed
}

/** Local midnight of a day of the calendar; `undefined` when there is no such day. */
function localMidnight(year, month, date) {
  const midnight = new Date(0)
  midnight.setHours(0, 0, 0, 0)
  // `setFullYear` takes years below 100 literally; the constructor does not.
  midnight.setFullYear(year, month - 1, date)
  midnight.setHours(0, 0, 0, 0)
  const same = midnight.getFullYear() === year && midnight.getMonth() === month - 1 && midnight.getDate() === date
  return same ? midnight : undefined
}

function noSuchDay(side, text) {
  return new UsageFailure(`--${side} ${text}: there is no such day`)
}
