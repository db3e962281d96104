// A second process that uses a database through node:sqlite, never waiting.
//
//   node other.mjs      calls as lines of JSON, see ../remote.mjs

import { DatabaseSync } from 'node:sqlite'

import { serve } from '../remote.mjs'
import { stressing } from './stressing.mjs'

const BUSY = 5

function using(path, work) {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    return work(database)
  } finally {
    database.close()
  }
}

serve({
  /** Whether a write transaction may begin: `ok` or `busy`. */
  tryWrite: (path) =>
    using(path, (database) => {
      try {
        database.exec('BEGIN IMMEDIATE')
      } catch (error) {
        if (error.errcode !== BUSY) throw error
        return 'busy'
      }
      database.exec('ROLLBACK')
      return 'ok'
    }),
  /** `busy` of a checkpoint, 0 or 1. */
  checkpoint: (path, mode) => using(path, (database) => database.prepare(`PRAGMA wal_checkpoint(${mode})`).get().busy),
  /** The first row of `sql`; opening and closing are what matters. */
  read: (path, sql) => using(path, (database) => database.prepare(sql).get()),
  exec: (path, sql) => using(path, (database) => database.exec(sql)),
  stress: (path, milliseconds) => stressing(path, 'other', milliseconds),
})
