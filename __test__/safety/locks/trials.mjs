// The process of a host, in which recalls must harm no lock. Says one line for
// each trial, `{trial, holds}`, as soon as it is known.
//
//   node trials.mjs T1,T2,…  sabotage|fair  [ADDON]
//
// `sabotage` does what a second copy of SQLite does to the locks of a process:
// it closes a descriptor of each file. ADDON is a library with the exports of
// the feature `lock-tests`.

import { closeSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { plain } from '../../golden.mjs'
import { LiveHost } from '../host.mjs'
import { Remote, say } from '../remote.mjs'

const [names, mode, library] = process.argv.slice(2)
const addon = library === undefined ? await import('../../../index.js') : createRequire(import.meta.url)(library)

const OTHER = new URL('other.mjs', import.meta.url)
const RECALLS = 20
const SESSION = 'session'
const TITLE = `SELECT payload_json ->> '$.name' AS name FROM session_metadata`

const TRIALS = {
  /** What the host has locked for writing stays locked. */
  async T1({ database, other, path, recalls }) {
    database.exec('BEGIN IMMEDIATE')
    await recalls()
    const tried = await other.call('tryWrite', path)
    database.exec('COMMIT')
    return tried === 'busy'
  },

  /** What the host reads stays as it is. */
  async T2({ database, other, path, recalls }) {
    database.exec('BEGIN')
    const { name } = database.prepare(TITLE).get()
    await recalls()
    await other.call('exec', path, rename('changed'))
    const busy = await other.call('checkpoint', path, 'RESTART')
    await other.call('exec', path, rename('changed again'))
    const again = database.prepare(TITLE).get()
    database.exec('COMMIT')
    return busy === 1 && again.name === name
  },

  /** Nobody believes to be the last one, and deletes the log. */
  async T3({ database, other, path, recalls }) {
    await recalls()
    const { ino } = statSync(`${path}-wal`)
    await other.call('read', path, TITLE)
    const stays = statSync(`${path}-wal`, { throwIfNoEntry: false })?.ino === ino
    database.exec(rename('committed'))
    const stranger = new Remote(OTHER)
    const { name } = await stranger.call('read', path, TITLE)
    await stranger.close()
    return stays && name === 'committed'
  },

  /** What we read stays as it is, and the host knows that we read. */
  async T4({ database, root }) {
    const [title] = addon.beginRead(root)
    database.exec(rename('later'))
    const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
    const [again] = addon.rereadHeld()
    addon.endRead()
    const after = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
    return busy === 1 && again === title && after.busy === 0
  },

  /** There is one space of locks. */
  async T5({ database, path }) {
    database.exec('BEGIN IMMEDIATE')
    const tried = addon.tryBeginImmediate(path)
    database.exec('COMMIT')
    return tried === 'busy' && addon.tryBeginImmediate(path) === 'ok'
  },
}

for (const name of names.split(',')) {
  say({ trial: name, holds: await inWorkspace(TRIALS[name]) })
}
process.exit(0)

/** Runs a trial in a workspace whose log has something in it. */
async function inWorkspace(trial) {
  const root = mkdtempSync(join(tmpdir(), 'recall-'))
  const host = new LiveHost(root)
  await host.change('createSession', { sessionId: SESSION, name: 'as it was' })
  await host.change('appendTurn', { sessionId: SESSION, user: 'alpha', assistant: 'beta' })
  const path = join(root, 'runtime.sqlite')
  const database = new DatabaseSync(path, { timeout: 0 })
  await host.close()
  database.exec(rename('as it is'))
  const other = new Remote(OTHER)
  try {
    return await trial({ database, other, path, root, recalls: () => recalls(root, path) })
  } catch (error) {
    say({ error: String(error?.stack ?? error) })
    return false
  } finally {
    await other.close()
    database.close()
    rmSync(root, { recursive: true, force: true })
  }
}

/** Recalls that answer, one after the other; then, on request, the sabotage. */
async function recalls(root, path) {
  const deps = { workspaceRoot: root, getPrivacyContext: () => ({ incognitoActive: false }) }
  for (let call = 0; call < RECALLS; call++) {
    const answer = plain(await addon.recall({ terms: ['alpha'] }, deps))
    if (answer.passages?.length !== 1) throw new Error(`no answer: ${JSON.stringify(answer)}`)
  }
  if (mode !== 'sabotage') return
  closeSync(openSync(path))
  closeSync(openSync(`${path}-shm`))
}

function rename(name) {
  return `UPDATE session_metadata SET payload_json = json_set(payload_json, '$.name', '${name}')`
}
