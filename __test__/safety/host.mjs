// A live host of ours: it has the databases of a workspace open as the host
// has, and makes every kind of change to them, one transaction each. It stands
// in the process of the test, or in one of its own:
//
//   node host.mjs ROOT OPTIONS        changes as lines of JSON, see remote.mjs

import { pathToFileURL } from 'node:url'

import * as artifacts from './host/artifacts.mjs'
import { Workspace, transact } from './host/database.mjs'
import * as facts from './host/facts.mjs'
import * as files from './host/files.mjs'
import * as ledger from './host/ledger.mjs'
import * as old from './host/old.mjs'
import * as sessions from './host/sessions.mjs'
import { Remote, serve } from './remote.mjs'

const { appendTurn, startTurn, delta, settle, endTurn, acceptPermission, recordOutcome, turnState } = ledger
const { createSession, rename, archive, touch, remove, purge, revise } = sessions
const { appendOldTurn, convert, renumber, markConverted } = old
const { addArtifact, removeArtifact } = artifacts
const { remember, updateFact, archiveFact } = facts

/** In a transaction of `runtime.sqlite`. */
const OF_RUNTIME = {
  appendTurn, startTurn, delta, settle, endTurn, acceptPermission, recordOutcome, turnState,
  createSession, rename, archive, touch, remove, purge, revise,
  appendOldTurn, convert, renumber, markConverted,
  addArtifact, removeArtifact,
}
/** In a transaction of `memory.sqlite`. */
const OF_MEMORY = { remember, updateFact, archiveFact }

/** In the process of whoever makes it. */
export class LiveHost {
  #workspace

  /** `options`: `{generation?, name?, wal?}`. */
  constructor(root, options) {
    this.#workspace = new Workspace(root, options)
  }

  /** Makes a change, by its name. */
  async change(name, args = {}) {
    const workspace = this.#workspace
    if (Object.hasOwn(OF_RUNTIME, name)) return transact(workspace.runtime, () => OF_RUNTIME[name](workspace, args))
    if (Object.hasOwn(OF_MEMORY, name)) return transact(workspace.memory, () => OF_MEMORY[name](workspace, args))
    return files[name](workspace, args)
  }

  /** Runs `sql` on `runtime.sqlite`. */
  async exec(sql) {
    this.#workspace.runtime.exec(sql)
  }

  /** The rows of `sql`. */
  async all(sql) {
    return this.#workspace.rows(sql)
  }

  async close() {
    this.#workspace.close()
  }
}

/** The same in a process of its own. */
export class HostProcess {
  #remote

  constructor(root, options = {}) {
    this.#remote = new Remote(new URL(import.meta.url), [root, JSON.stringify(options)])
  }

  change(name, args) {
    return this.#remote.call('change', name, args)
  }

  exec(sql) {
    return this.#remote.call('exec', sql)
  }

  all(sql) {
    return this.#remote.call('all', sql)
  }

  /** Sends a signal. */
  kill(signal) {
    this.#remote.kill(signal)
  }

  get exited() {
    return this.#remote.exited
  }

  async close() {
    await this.#remote.call('close').catch(() => {})
    await this.#remote.close()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [root, options] = process.argv.slice(2)
  const host = new LiveHost(root, JSON.parse(options))
  serve({
    change: (name, args) => host.change(name, args),
    exec: (sql) => host.exec(sql),
    all: (sql) => host.all(sql),
    close: () => host.close(),
  })
}
