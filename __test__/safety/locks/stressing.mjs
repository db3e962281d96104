// Commits as fast as they go, for a while: each writes one token everywhere,
// and one row that is counted.

import { setImmediate } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'

import { transact } from '../host/database.mjs'

const BUSY_TIMEOUT_MS = 5_000
const CHECKPOINTS = ['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE']

/** The token that belongs to the number of a commit. */
export const tokenOf = (number) => `token${String(number).padStart(8, '0')}`

/** The number of commits that were acknowledged to `writer`. */
export async function stressing(path, writer, milliseconds) {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  database.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;')
  const newest = database.prepare("SELECT version FROM operational_schema_migrations WHERE scope = 'tokens'")
  const count = database.prepare("UPDATE operational_schema_migrations SET version = ? WHERE scope = 'tokens'")
  const events = database.prepare("UPDATE runtime_events SET payload_json = replace(payload_json, ?, ?) WHERE event_kind = 'text'")
  const titles = database.prepare('UPDATE session_metadata SET payload_json = replace(payload_json, ?, ?)')
  const row = database.prepare("INSERT INTO session_messages VALUES ('counted', ?, ?, 'user', 0, '{}')")
  const until = performance.now() + milliseconds
  let acknowledged = 0
  while (performance.now() < until) {
    transact(database, () => {
      const { version } = newest.get()
      events.run(tokenOf(version), tokenOf(version + 1))
      titles.run(tokenOf(version), tokenOf(version + 1))
      row.run(version + 1, writer)
      count.run(version + 1)
    })
    acknowledged += 1
    if (acknowledged % 7 === 0) database.exec(`PRAGMA wal_checkpoint(${CHECKPOINTS[(acknowledged / 7) % CHECKPOINTS.length]})`)
    await setImmediate()
  }
  database.close()
  return acknowledged
}
