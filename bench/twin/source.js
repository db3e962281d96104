// Where Sessions and messages come from: the workspace on disk, or the host's
// callbacks. Both answer the same questions.
//
//   sessions()                     every listed Session
//   candidates(sessions, terms)    a Set of ids that could hold a term, or null
//   count(sessions, read)          searchable messages of the corpus
//   read(session)                  the rows of a Session, or null when unreadable
//   couldHold(session, terms)      whether an unreadable Session could hold a term
//   facts({terms, ...})            {status, facts}

import { searchFacts, shownFact } from './facts.js'
import { MAX_FACTS, SEARCHABLE_TYPES } from './limits.js'
import { Unreadable } from './project.js'
import { isObject } from './request.js'
import { readSession } from './sessions.js'
import { Store, StoreError } from './store.js'
import { transcriptOf } from './transcript.js'

/** The call names neither a workspace nor callbacks: a bug of the caller. */
export class NoSourceError extends Error {
  code = 'RECALL_NO_SOURCE'

  constructor() {
    super('recall needs `workspaceRoot`, or the callbacks `listSessions` and `readMessages`')
  }
}

/**
 * The source of a call. With a `workspaceRoot` the callbacks are only the
 * fallback for a workspace that cannot be read. Throws {@link StoreError}.
 */
export function openSource(deps, { abortSignal } = {}) {
  const hasCallbacks = typeof deps.listSessions === 'function' && typeof deps.readMessages === 'function'
  if (deps.workspaceRoot === undefined) {
    if (!hasCallbacks) throw new NoSourceError()
    return new CallbackSource(deps, abortSignal)
  }
  try {
    return new NativeSource(deps.workspaceRoot)
  } catch (error) {
    if (!(error instanceof StoreError) || !hasCallbacks) throw error
    return new CallbackSource(deps, abortSignal)
  }
}

class NativeSource {
  #root
  #store

  constructor(root) {
    this.#root = root
    this.#store = new Store(root)
  }

  async sessions() {
    return this.#store.sessions()
  }

  async candidates(sessions, terms) {
    return this.#store.candidates(sessions, terms.map((term) => term.folded))
  }

  async count(sessions) {
    return this.#store.count(sessions)
  }

  async read(session) {
    try {
      return transcriptOf(session, this.#store)
    } catch (error) {
      if (error instanceof Unreadable) return null
      throw error
    }
  }

  couldHold(session, terms) {
    return this.#store.couldHold(session, terms.map((term) => term.folded))
  }

  async facts({ activeSession, terms }) {
    return searchFacts(this.#root, { workspaceRoot: activeSession?.workspaceRoot, terms })
  }

  artifact(sessionId, artifactId) {
    return this.#store.artifact(sessionId, artifactId)
  }

  /** Where the bytes of artifacts lie. */
  get root() {
    return this.#root
  }

  close() {
    this.#store.close()
  }
}

class CallbackSource {
  #deps
  #abortSignal
  #read = new Map()

  constructor(deps, abortSignal) {
    this.#deps = deps
    this.#abortSignal = abortSignal
  }

  async sessions() {
    let listed
    try {
      listed = await this.#deps.listSessions()
    } catch (error) {
      throw new StoreError('unavailable', `The Sessions could not be listed: ${error?.message ?? error}`)
    }
    if (!Array.isArray(listed)) throw new StoreError('unavailable', 'The Sessions could not be listed.')
    return listed.map(readSession).filter((session) => session !== undefined)
  }

  /** Without a counter, what was not read could not be counted: everything is read. */
  async candidates(sessions, terms) {
    const { listCandidateSessions, countSearchableMessages } = this.#deps
    if (typeof listCandidateSessions !== 'function' || typeof countSearchableMessages !== 'function') return null
    if ((await this.#counted(sessions)) === null) return null
    try {
      const ids = await this.#deps.listCandidateSessions({
        sessionIds: sessions.map((session) => session.id),
        terms: terms.map((term) => term.folded),
        abortSignal: this.#abortSignal,
      })
      return Array.isArray(ids) ? new Set(ids) : null
    } catch {
      return null
    }
  }

  async count(sessions) {
    const counted = await this.#counted(sessions)
    if (counted !== null) return counted
    return sessions
      .map((session) => this.#read.get(session.id) ?? [])
      .reduce((total, rows) => total + rows.filter((row) => SEARCHABLE_TYPES.has(row.type)).length, 0)
  }

  async read(session) {
    if (!this.#read.has(session.id)) this.#read.set(session.id, await this.#messages(session.id))
    return this.#read.get(session.id)
  }

  /** Only the host knows what is in a Session that it cannot read. */
  couldHold() {
    return true
  }

  async facts({ activeSessionId, terms }) {
    const { searchFacts: search } = this.#deps
    if (typeof search !== 'function') return { status: 'none', facts: [] }
    try {
      const facts = await this.#deps.searchFacts({
        sessionId: activeSessionId,
        terms: terms.map((term) => term.text),
        limit: MAX_FACTS,
      })
      if (!Array.isArray(facts)) return { status: 'unavailable', facts: [] }
      const shown = facts.filter((fact) => isObject(fact) && typeof fact.content === 'string').map(shownFact)
      return { status: 'ok', facts: shown.slice(0, MAX_FACTS) }
    } catch {
      return { status: 'unavailable', facts: [] }
    }
  }

  artifact() {
    return undefined
  }

  close() {}

  async #messages(sessionId) {
    try {
      const messages = await this.#deps.readMessages(sessionId, this.#abortSignal)
      return Array.isArray(messages) && messages.every(isMessage) ? messages : null
    } catch {
      return null
    }
  }

  #countedOnce = new Map()

  async #counted(sessions) {
    const { countSearchableMessages: count } = this.#deps
    if (typeof count !== 'function') return null
    const sessionIds = sessions.map((session) => session.id)
    const key = JSON.stringify(sessionIds)
    if (!this.#countedOnce.has(key)) {
      const counted = await Promise.resolve()
        .then(() => this.#deps.countSearchableMessages({ sessionIds }))
        .catch(() => null)
      this.#countedOnce.set(key, Number.isFinite(counted) ? counted : null)
    }
    return this.#countedOnce.get(key)
  }
}

function isMessage(value) {
  return isObject(value) && typeof value.type === 'string' && typeof value.id === 'string' && Number.isFinite(value.ts)
}
