// The two databases of a workspace, opened and written as the host does.

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { createMemoryTables, createRuntimeTables } from '../../../bench/workspace/schema.mjs'

/** Of the first thing that happens in a workspace of the tests. */
const START = 1_788_000_000_000
const STEP_MS = 1_000
const BUSY_TIMEOUT_MS = 5_000

/** The open databases of a workspace, and ids that nobody else gives. */
export class Workspace {
  #count = 0

  /** `name` parts the ids of this host from those of another one. */
  constructor(root, { generation = 'openings', name = 'h', wal = true } = {}) {
    Object.assign(this, { root, generation, name, wal })
    this.open()
  }

  get path() {
    return join(this.root, 'runtime.sqlite')
  }

  open() {
    const isNew = !existsSync(this.path)
    this.runtime = connect(this.path, this.wal)
    this.memory = connect(join(this.root, 'memory.sqlite'), this.wal)
    if (!isNew) return
    createRuntimeTables(this.runtime, this.generation)
    createMemoryTables(this.memory)
    insert(this.runtime, 'session_catalog_state', { scope: 'catalog', epoch: sha256(this.root).slice(0, 32), generation: 0, pending_writes: 0 })
  }

  close() {
    this.runtime.close()
    this.memory.close()
  }

  /** An id of its own. */
  id(kind) {
    this.#count += 1
    return `${this.name}-${kind}-${this.#count}`
  }

  /** After everything in the ledger and in the stored messages. */
  now() {
    const { newest } = this.runtime
      .prepare('SELECT max((SELECT coalesce(max(committed_at), 0) FROM runtime_events), (SELECT coalesce(max(message_ts), 0) FROM session_messages), ?) AS newest')
      .get(START)
    return newest + STEP_MS
  }

  insert(table, row) {
    insert(this.runtime, table, row)
  }

  /** The first row of `sql`. */
  row(sql, ...params) {
    return this.runtime.prepare(sql).get(...params)
  }

  rows(sql, ...params) {
    return this.runtime.prepare(sql).all(...params)
  }

  run(sql, ...params) {
    return this.runtime.prepare(sql).run(...params)
  }
}

function connect(path, wal) {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  database.exec(`PRAGMA journal_mode = ${wal ? 'WAL' : 'DELETE'}; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;`)
  return database
}

/** Does `work` in one immediate transaction of `database`. */
export function transact(database, work) {
  database.exec('BEGIN IMMEDIATE')
  try {
    const value = work()
    database.exec('COMMIT')
    return value
  } catch (error) {
    // A full disk has ended it already.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

export function insert(database, table, row) {
  const columns = Object.keys(row)
  const places = columns.map(() => '?').join(', ')
  database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`).run(...Object.values(row))
}

/** JSON with sorted keys, as the ledger writes it. */
export function canonical(value) {
  return JSON.stringify(value, (_key, inner) => {
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
  })
}

export function sha256(data) {
  return createHash('sha256').update(data).digest('hex')
}
