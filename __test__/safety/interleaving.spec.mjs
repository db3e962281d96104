// Changes and questions in random order: a process that has answered before
// answers as one that has forgotten everything and reads everything, and, now
// and then, as one that has just begun.
//
//   RECALL_SAFETY_STEPS=5000 RECALL_SAFETY_SEED=7 npx node --test __test__/safety/interleaving.spec.mjs

import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as addon from '../../index.js'
import { Forgetful, answerOf, freshAnswers } from './ask.mjs'
import { workspace } from './changes.mjs'
import { HostProcess, LiveHost } from './host.mjs'
import { Random } from './random.mjs'

const STEPS = Number(process.env.RECALL_SAFETY_STEPS ?? 240)
const SEED = Number(process.env.RECALL_SAFETY_SEED ?? 1)
/** Of how many steps one is compared with a process that has just begun. */
const FRESH_EVERY = 20

/** Of a hundred steps, how many are followed by reading ahead. */
const WARMED = 40

const WORDS = ['alpha', 'Beta', 'GAMMA', 'delta', '模型', '上下文窗口', 'ÄRGER', 'ärger', 'İstanbul', 'ΣΊΣΥΦΟΣ', 'a"b', 'tab\there', 'x']
const TERMS = [...WORDS, 'al', 'pha', '文', 'zzzznotfound', 'here', 'a\\', 'read the', 'İ']

test(`${STEPS} steps of seed ${SEED}`, async () => {
  for (const generation of ['openings', 'headers']) {
    const { root, remove } = await workspace(generation)
    const hosts = [new LiveHost(root, { generation, name: 'a' }), new HostProcess(root, { generation, name: 'b' })]
    const forgetful = new Forgetful()
    const random = new Random(SEED)
    const story = new Story(random, hosts, root)
    let place
    try {
      for (let step = 0; step < STEPS / 2; step++) {
        place = `seed ${SEED}, ${generation}, step ${step}: ${JSON.stringify(await story.advance())}`
        if (random.chance(WARMED)) await addon.warm(root)
        const question = ask(random, story)
        place = `${place}, then ${JSON.stringify(question)}`
        const answer = await answerOf(addon, root, question)
        assert.deepEqual(answer, (await forgetful.answers(root, [question]))[0], place)
        story.anchor = answer.passages?.at(-1)?.anchor ?? story.anchor
        if (step % FRESH_EVERY === 0) assert.deepEqual([answer], await freshAnswers(root, [question]), place)
      }
    } catch (error) {
      if (error.code !== 'ERR_ASSERTION') error.message = `${place}: ${error.message}`
      throw error
    } finally {
      addon.release(root)
      await forgetful.close()
      for (const host of hosts) await host.close().catch(() => {})
      remove()
    }
  }
})

/** One of the operations about what there is. */
function ask(random, story) {
  const terms = Array.from({ length: 1 + random.below(3) }, () => random.pick(TERMS))
  const activeSessionId = random.pick(story.sessions)
  const options = { includeArchived: random.chance(30), explain: random.chance(30), ...(random.chance(50) && { activeSessionId }) }
  const kind = random.below(10)
  if (kind === 0) return { operation: 'searchThreads', request: { source: 'thread', query: terms[0], limit: 50 }, options: { maxResults: 50 } }
  if (kind === 1 && story.anchor !== undefined) return { operation: 'recallMore', request: { anchor: story.anchor }, options }
  if (kind === 2) return { operation: 'recallMaterial', request: { id: `${activeSessionId}/${random.pick(story.artifacts)}` }, options: { activeSessionId } }
  const only = random.chance(15) ? { sessionId: activeSessionId } : {}
  return { request: { terms, limit: 1 + random.below(25), ...only }, options }
}

/** What happened so far, and what may happen next. */
class Story {
  sessions = ['plain', 'live', 'waiting', 'old', 'gone']
  artifacts = ['art_notes']
  removed = new Set(['gone'])
  old = new Map([['old', 0]])
  facts = ['fact-a', 'fact-b']
  unrecorded = []
  anchor
  #count = 0
  #backups = 0

  constructor(random, hosts, root) {
    Object.assign(this, { random, hosts, root })
  }

  /** Makes one change at one of the hosts, and tells which. */
  async advance() {
    const { random } = this
    const host = random.pick(this.hosts)
    const sessionId = random.pick(this.sessions)
    if (this.removed.has(sessionId)) {
      const [name, args] = random.chance(50) ? ['purge', { sessionId }] : this.#made(sessionId)
      return this.#change(host, name, args)
    }
    if (random.chance(25)) return this.#elsewhere(host)
    if (random.chance(20)) return this.#header(host, sessionId)
    if (this.old.has(sessionId) && random.chance(60)) return this.#old(host, sessionId)
    const { open, arriving } = await host.change('turnState', { sessionId })
    if (!open) return random.chance(50) ? this.#turn(host, sessionId, 'appendTurn') : this.#turn(host, sessionId, 'startTurn')
    const more = ['delta', { sessionId, text: this.#said(), segmentBytes: 16 + random.below(64) }]
    if (arriving) return this.#change(host, ...(random.chance(60) ? more : ['settle', { sessionId }]))
    if (random.chance(15)) return this.#permission(host, sessionId)
    return this.#change(host, ...(random.chance(50) ? more : ['endTurn', { sessionId }]))
  }

  async #change(host, name, args) {
    const change = { name, args, host: this.hosts.indexOf(host) }
    const value = await host.change(name, args).catch((error) => {
      throw new Error(`${JSON.stringify(change)}: ${error.message}`, { cause: error })
    })
    return { ...change, value }
  }

  #turn(host, sessionId, name) {
    const tool = this.random.chance(50) ? { name: 'Read', intent: this.#said(), result: { kind: 'json', value: { [this.#said()]: this.#said() } } } : undefined
    const said = name === 'startTurn' ? { user: this.#said() } : { user: this.#said(), assistant: this.#said(), tool }
    return this.#change(host, name, { sessionId, ...said })
  }

  #made(sessionId) {
    this.removed.delete(sessionId)
    return ['createSession', { sessionId, name: this.#said() }]
  }

  async #header(host, sessionId) {
    const { random } = this
    switch (random.below(7)) {
      case 0:
        return this.#change(host, 'archive', { sessionId, isArchived: random.chance(50) })
      case 1:
        if (this.old.has(sessionId)) return this.#change(host, 'touch', { sessionId })
        this.removed.add(sessionId)
        return this.#change(host, 'remove', { sessionId })
      case 2: {
        const revisionId = this.#id('revision')
        if (this.old.has(sessionId)) return this.#change(host, 'touch', { sessionId })
        this.sessions.push(revisionId)
        return this.#change(host, 'revise', { sessionId, revisionId, name: this.#said() })
      }
      case 3: {
        const made = this.#id('session')
        const isOld = random.chance(40)
        this.sessions.push(made)
        if (isOld) this.old.set(made, 0)
        return this.#change(host, 'createSession', { sessionId: made, name: this.#said(), ledger: isOld ? false : 1 })
      }
      case 4:
        return this.#change(host, 'touch', { sessionId })
      default:
        return this.#change(host, 'rename', { sessionId, name: this.#said() })
    }
  }

  /** The steps of a conversion, with anything between them. */
  #old(host, sessionId) {
    const done = this.old.get(sessionId)
    if (done === 0 && this.random.chance(60)) return this.#change(host, 'appendOldTurn', { sessionId, user: this.#said(), assistant: this.#said() })
    this.old.set(sessionId, done + 1)
    if (done === 2) this.old.delete(sessionId)
    return this.#change(host, ['convert', 'renumber', 'markConverted'][done], { sessionId })
  }

  async #permission(host, sessionId) {
    if (0 < this.unrecorded.length) return this.#change(host, 'recordOutcome', { requestId: this.unrecorded.pop() })
    const accepted = await this.#change(host, 'acceptPermission', { sessionId })
    this.unrecorded.push(accepted.value)
    return accepted
  }

  /** Facts, artifacts, and the files themselves. */
  async #elsewhere(host) {
    const { random } = this
    const sessionId = random.pick(this.sessions.filter((id) => !this.removed.has(id) && !this.old.has(id)))
    switch (random.below(9)) {
      case 0: {
        const itemId = this.#id('fact')
        this.facts.push(itemId)
        return this.#change(host, 'remember', { itemId, content: this.#said(), keys: [random.pick(WORDS)] })
      }
      case 1:
        return this.#change(host, 'updateFact', { itemId: random.pick(this.facts), content: this.#said(), keys: [random.pick(WORDS)] })
      case 2:
        return this.#change(host, 'archiveFact', { itemId: random.pick(this.facts) })
      case 3: {
        const artifactId = this.#id('art')
        this.artifacts.push(artifactId)
        const attachment = (await this.#change(host, 'addArtifact', { sessionId, artifactId, name: 'x.txt', text: this.#said() })).value
        if ((await host.change('turnState', { sessionId })).open) await host.change('appendTurn', { sessionId, user: 'end', assistant: 'end' })
        return this.#change(host, 'startTurn', { sessionId, user: this.#said(), attachments: [attachment] })
      }
      case 4:
        return this.#change(host, 'checkpoint', { mode: random.pick(['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE']) })
      case 5:
        return this.#change(host, 'vacuum')
      case 6:
        await this.#change(host, 'stop')
        return this.#change(host, 'start')
      case 7:
        return this.#restore(random.chance(50) ? 'restoreByRename' : 'restoreInPlace')
      default:
        if (this.unrecorded.length === 0) return this.#change(host, 'checkpoint', { mode: 'TRUNCATE' })
        return this.#change(host, 'recordOutcome', { requestId: this.unrecorded.pop() })
    }
  }

  /** What came after the backup is lost: here, one Session. */
  async #restore(name) {
    const [here, there] = this.hosts
    const to = `${this.root}/backup-${(this.#backups += 1)}`
    const sessionId = this.#id('lost')
    await there.change('backup', { to })
    await here.change('createSession', { sessionId, name: this.#said() })
    await here.change('appendTurn', { sessionId, user: this.#said(), assistant: this.#said() })
    await answerOf(addon, this.root, { request: { terms: [this.random.pick(TERMS)] } })
    await here.change('stop')
    const restored = await this.#change(there, name, { from: to })
    await here.change('start')
    return restored
  }

  #said() {
    const { random } = this
    return Array.from({ length: 1 + random.below(6) }, () => (random.chance(50) ? random.pick(WORDS) : random.pick(['and', 'read the', '的', 'of']))).join(' ')
  }

  #id(kind) {
    return `${kind}-${(this.#count += 1)}`
  }
}
