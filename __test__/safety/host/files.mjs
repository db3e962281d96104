// What happens to the database as a file.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** Moves the log into the database and cuts it. */
export function checkpoint(host, { mode = 'TRUNCATE' } = {}) {
  return { ...host.row(`PRAGMA wal_checkpoint(${mode})`) }
}

/** Writes the whole file anew: pages and rowids change, rows do not. */
export function vacuum(host) {
  host.runtime.exec('VACUUM')
}

/** The table of events is written anew, as a migration does it: its rows get other numbers. */
export function rebuild(host) {
  const { sql } = host.row("SELECT sql FROM sqlite_schema WHERE name = 'runtime_events'")
  const indexes = host.rows("SELECT sql FROM sqlite_schema WHERE tbl_name = 'runtime_events' AND type = 'index' AND sql IS NOT NULL")
  host.runtime.exec(`
    PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE;
    ${sql.replace('runtime_events', 'rebuilt')};
    INSERT INTO rebuilt SELECT * FROM runtime_events ORDER BY rowid;
    DROP TABLE runtime_events; ALTER TABLE rebuilt RENAME TO runtime_events;
    ${indexes.map((index) => `${index.sql};`).join(' ')}
    COMMIT; PRAGMA foreign_keys = ON;`)
}

/** A copy of `runtime.sqlite` as it is now. */
export function backup(host, { to }) {
  rmSync(to, { force: true })
  host.runtime.exec(`VACUUM INTO '${to.replaceAll("'", "''")}'`)
}

/** The host closes, a backup takes the place of the file, the host starts again. */
export function restoreByRename(host, { from }) {
  host.close()
  dropLog(host)
  renameSync(from, host.path)
  host.open()
}

/**
 * The same, but the file stays and gets other bytes. Never in the process of
 * the addon: closing the file would drop the locks of both.
 */
export function restoreInPlace(host, { from }) {
  host.close()
  dropLog(host)
  writeFileSync(host.path, readFileSync(from), { flag: 'r+' })
  host.open()
}

/** The host ends. */
export function stop(host) {
  host.close()
}

/** The host starts again. */
export function start(host) {
  host.open()
}

/** No other connection may read, until `unlock`. Only in a host that is not in WAL mode. */
export function lockExclusively(host) {
  host.runtime.exec('BEGIN EXCLUSIVE')
}

export function unlock(host) {
  host.runtime.exec('ROLLBACK')
}

export function lockFacts(host) {
  host.memory.exec('BEGIN EXCLUSIVE')
}

export function unlockFacts(host) {
  host.memory.exec('ROLLBACK')
}

function dropLog({ path }) {
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
}
