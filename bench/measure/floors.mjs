// What no engine can beat: the bytes themselves, copied, searched, and read.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { quantile } from './statistics.mjs'

/** Bytes held at once; the time of a larger workspace is the time of all its parts. */
const PART_BYTES = 256 * 1024 * 1024
const NEEDLE = Buffer.from('zzzznotfound')

/**
 * Medians in ms over all payloads of a workspace: `memcpy`, `memmem` (a term
 * that is nowhere), `sqliteRows` (SQLite loads every payload) and `jsRows`
 * (every payload becomes a JavaScript string).
 */
export function measureFloors(root, rounds) {
  const db = new DatabaseSync(join(root, 'runtime.sqlite'), { readOnly: true })
  // `length(payload_json)` alone would not load what it measures.
  const load = db.prepare('SELECT sum(length(CAST(payload_json AS BLOB))) AS bytes FROM runtime_events')
  const rows = db.prepare('SELECT payload_json FROM runtime_events')
  const { bytes } = load.get()
  const times = { memcpy: [], memmem: [], sqliteRows: [], jsRows: [] }
  for (let round = 0; round < rounds; round += 1) {
    times.sqliteRows.push(timed(() => load.get()))
    times.jsRows.push(timed(() => {
      let units = 0
      for (const { payload_json: json } of rows.iterate()) units += json.length
      return units
    }))
    const memory = inMemory(db, Math.min(bytes, PART_BYTES))
    times.memcpy.push(memory.memcpy)
    times.memmem.push(memory.memmem)
  }
  db.close()
  const medians = Object.entries(times).map(([name, samples]) => [name, quantile(samples, 0.5)])
  return { bytes, ...Object.fromEntries(medians) }
}

/** Copies and searches the payloads, part by part. */
function inMemory(db, partBytes) {
  const part = Buffer.alloc(partBytes)
  const copy = Buffer.alloc(partBytes, 1)
  let filled = 0
  let memcpy = 0
  let memmem = 0
  const measure = () => {
    memcpy += timed(() => part.copy(copy, 0, 0, filled))
    memmem += timed(() => part.subarray(0, filled).indexOf(NEEDLE))
    filled = 0
  }
  const blobs = db.prepare('SELECT CAST(payload_json AS BLOB) AS bytes FROM runtime_events')
  for (const { bytes } of blobs.iterate()) {
    if (partBytes < filled + bytes.length) measure()
    part.set(bytes, filled)
    filled += bytes.length
  }
  measure()
  return { memcpy, memmem }
}

function timed(work) {
  const began = performance.now()
  work()
  return performance.now() - began
}
