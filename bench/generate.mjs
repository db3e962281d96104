// Seeded workspaces for tests and for the benchmark: the same options give the
// same rows on every machine. Kept in `bench/.cache`.
//
//   node bench/generate.mjs [--size 180MB] [--seed 1] [--generation openings|headers]
//                           [--out DIR [--old-messages SHARE]]

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { WorkspaceDatabase } from './workspace/database.mjs'
import { EventWriter } from './workspace/events.mjs'
import { writeMemory } from './workspace/memory.mjs'
import { recordsOf } from './workspace/messages.mjs'
import { Prose } from './workspace/prose.mjs'
import { Random } from './workspace/random.mjs'
import { newSession, steps } from './workspace/session.mjs'

/** Changes whenever the same options would give other rows. */
const VERSION = 1
const CACHE = fileURLToPath(new URL('.cache/', import.meta.url))
/** Bytes of payload and Sessions, by name. */
export const SIZES = {
  // For the test of the benchmark itself.
  '0.3MB': { bytes: 0.3e6, sessions: 5 },
  '1.8MB': { bytes: 1.8e6, sessions: 8 },
  '18MB': { bytes: 18e6, sessions: 32 },
  '180MB': { bytes: 180e6, sessions: 97 },
  '1.8GB': { bytes: 1.8e9, sessions: 1000 },
}
/** Sessions that are being worked on at the same time. */
const ACTIVE = 4
const START = 1_780_000_000_000
const WORKSPACE_ROOT = '/home/dev/workspace'

/** The root of a cached workspace of a named size, made when it is not there. */
export function cachedWorkspace({ size, seed = '1', generation = 'openings' }) {
  const root = join(CACHE, `v${VERSION}-${generation}-${size}-${seed}`)
  if (existsSync(join(root, 'about.json'))) return root
  const unfinished = `${root}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  generate(unfinished, { ...SIZES[size], seed, generation })
  rmSync(root, { recursive: true, force: true })
  renameSync(unfinished, root)
  return root
}

/** What a generated workspace holds: `{bytes, events, sessions, textBytes, …}`. */
export function about(root) {
  return JSON.parse(readFileSync(join(root, 'about.json'), 'utf8'))
}

/**
 * Writes a workspace to `root`. `bytes`: of payload, about. `oldMessages`: the
 * share of the Sessions that are stored messages of an older build, not yet
 * converted. `live`: how many Sessions have a turn that is still running.
 */
export function generate(root, options) {
  const { bytes, sessions, seed = '1', generation = 'openings', oldMessages = 0, live = 2 } = options
  const random = new Random(`${VERSION} ${seed} ${generation} ${bytes}`)
  const prose = new Prose(random)
  mkdirSync(root, { recursive: true })
  const database = new WorkspaceDatabase(root, generation)
  const counts = { sessions, events: 0, messages: 0, bytes: 0, resultBytes: 0, searchable: 0 }
  const clock = { now: START }

  const weights = Array.from({ length: sessions }, () => random.logNormal(1, 0.9))
  const weight = weights.reduce((sum, one) => sum + one, 0)
  const waiting = weights.map((one, index) => ({ index, budget: (bytes * one) / weight }))
  const active = []
  while (0 < waiting.length || 0 < active.length) {
    while (active.length < ACTIVE && 0 < waiting.length) active.push(begin(waiting.shift()))
    const story = random.pick(active)
    // A few steps here, then a few there: how rows of Sessions lie on disk.
    for (let step = random.between(1, 12); 0 < step && !story.done; step -= 1) story.advance()
    if (story.done) active.splice(active.indexOf(story), 1)
  }
  database.close()
  writeMemory(root, { random, prose, workspaceRoot: WORKSPACE_ROOT, now: clock.now })
  writeFileSync(join(root, 'about.json'), `${JSON.stringify({ version: VERSION, seed, generation, ...counts }, null, 2)}\n`)
  return counts

  function begin({ index, budget }) {
    const createdAt = tick()
    const session = newSession({ random, prose, index, createdAt, workspaceRoot: WORKSPACE_ROOT })
    const isOld = random.chance(oldMessages)
    const header = isOld ? session.header : { ...session.header, transcriptLedgerVersion: 1 }
    const isLive = !isOld && sessions - live <= index
    let left = budget
    const story = steps({ random, prose, session, bytesLeft: () => left, live: isLive })
    const place = isOld ? oldPlace(session.id) : ledgerPlace(session.id)
    let lastMessageAt = createdAt
    return {
      done: false,
      advance() {
        const { value: step, done } = story.next()
        if (done) {
          this.done = true
          database.session(header, lastMessageAt)
          return
        }
        lastMessageAt = tick()
        left -= place(step, lastMessageAt)
        for (const { bytes: size, mimeType, name, ref } of step.attachments ?? []) {
          const artifact = { id: ref.relativePath, sessionId: session.id, name, mimeType, bytes: size }
          database.artifact({ ...artifact, createdAt: lastMessageAt })
        }
      },
    }
  }

  function ledgerPlace(sessionId) {
    const writer = new EventWriter(sessionId, generation)
    let ordinal = 0
    return (step, ts) => {
      const { events, run, stream } = writer.rowsOf(step, ts)
      let size = 0
      for (const event of events) {
        ordinal += 1
        database.event(sessionId, ordinal, event)
        const eventBytes = Buffer.byteLength(event.json)
        size += eventBytes
        counts.events += 1
        counts.bytes += eventBytes
        if (event.kind === 'function_response') counts.resultBytes += eventBytes
        if (['text', 'function_call', 'function_response'].includes(event.kind)) counts.searchable += 1
      }
      if (run !== undefined) database.run(sessionId, run)
      if (stream !== undefined) database.stream(sessionId, stream, ts)
      return size
    }
  }

  function oldPlace(sessionId) {
    let sequence = 0
    return (step, ts) => {
      let size = 0
      for (const record of recordsOf(step, ts)) {
        database.message(sessionId, sequence, record)
        sequence += 1
        counts.messages += 1
        size += Buffer.byteLength(JSON.stringify(record))
      }
      counts.bytes += size
      return size
    }
  }

  function tick() {
    clock.now += random.between(5, 4_000)
    return clock.now
  }
}

function main() {
  const { values } = parseArgs({
    options: {
      size: { type: 'string', default: '180MB' },
      seed: { type: 'string', default: '1' },
      generation: { type: 'string', default: 'openings' },
      'old-messages': { type: 'string' },
      out: { type: 'string' },
    },
  })
  const { size, seed, generation, out } = values
  if (SIZES[size] === undefined) throw new Error(`--size is one of ${Object.keys(SIZES).join(', ')}`)
  if (!['openings', 'headers'].includes(generation)) throw new Error('--generation is openings or headers')
  const oldMessages = Number(values['old-messages'] ?? 0)
  if (out === undefined && oldMessages !== 0) {
    throw new Error('--old-messages needs --out DIR: only plain workspaces are kept')
  }
  const began = performance.now()
  const root = out ?? cachedWorkspace({ size, seed, generation })
  if (out !== undefined) generate(root, { ...SIZES[size], seed, generation, oldMessages })
  console.log(root)
  console.log({ ...about(root), seconds: Number(((performance.now() - began) / 1000).toFixed(1)) })
}

if (process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1]) main()
