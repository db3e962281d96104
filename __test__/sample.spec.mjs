// The committed sample workspace is what its script writes.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { build } from '../sample/build.mjs'

const COMMITTED = fileURLToPath(new URL('../sample/workspace', import.meta.url))

/** Schema and rows: the bytes of the file also carry the version of SQLite. */
function contents(path) {
  const db = new DatabaseSync(path, { readOnly: true })
  const tables = db.prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").all()
  const rows = tables.filter(({ sql }) => sql.startsWith('CREATE TABLE')).map(({ name }) => [name, db.prepare(`SELECT * FROM ${name}`).all()])
  const version = db.prepare('PRAGMA user_version').get()
  db.close()
  return { tables, rows, version }
}

const files = (root) => readdirSync(root, { recursive: true }).map((name) => name.replaceAll('\\', '/')).sort()

test('the committed sample is what its script writes', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'recall-sample-'))
  t.after(() => rmSync(root, { recursive: true }))
  build(root)
  assert.deepEqual(files(COMMITTED), files(root))
  for (const name of files(root).filter((name) => /\.(png|txt)$/.test(name))) {
    assert.deepEqual(readFileSync(join(COMMITTED, name)), readFileSync(join(root, name)), name)
  }
  for (const name of ['runtime.sqlite', 'memory.sqlite']) {
    assert.deepEqual(contents(join(COMMITTED, name)), contents(join(root, name)), name)
  }
})

test('the sample is at rest: no journal beside it, and none needed', () => {
  const header = readFileSync(join(COMMITTED, 'runtime.sqlite')).subarray(18, 20)
  // File format versions: 1 is a rollback journal, 2 a write-ahead log.
  assert.deepEqual([...header], [1, 1])
  assert.deepEqual(files(COMMITTED).filter((name) => /-(wal|shm|journal)$/.test(name)), [])
})
