// All measurements of one workspace, engines taking turns.

import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { about, cachedWorkspace } from '../generate.mjs'
import { Appender } from './append.mjs'
import { coldAnswer, EngineProcess } from './client.mjs'
import { difference } from './compare.mjs'
import { measureFloors } from './floors.mjs'
import { summary } from './statistics.mjs'
import { drawTerms, QUERIES } from './terms.mjs'

/** How much is measured. The twin takes seconds where the addon takes milliseconds. */
const ALL = Infinity
const PLANS = {
  '0.3MB': { coldRounds: 1, warmRounds: 2, twinRounds: 1, twinQueries: ALL, twinTerms: ALL, floorRounds: 1 },
  '1.8MB': { coldRounds: 7, warmRounds: 21, twinRounds: 5, twinQueries: ALL, twinTerms: ALL, floorRounds: 9 },
  '18MB': { coldRounds: 7, warmRounds: 21, twinRounds: 3, twinQueries: ALL, twinTerms: ALL, floorRounds: 7 },
  '180MB': { coldRounds: 5, warmRounds: 21, twinRounds: 1, twinQueries: ALL, twinTerms: 20, floorRounds: 5 },
  '1.8GB': { coldRounds: 3, warmRounds: 6, twinRounds: 1, twinQueries: 1, twinTerms: 0, floorRounds: 3 },
}
/** Terms that the addon answers by a full scan as well, and in a fresh process. */
const CHECKED_TERMS = 20
const COLD_TERMS = 10
const APPENDS = 20
const IDLE_MS = 1_000

/**
 * Measures `addon` (a module path) against `twin` on the workspace of `size`.
 * `{…, mismatches, slower}`: answers that differ, and queries that the twin won.
 */
export async function measureWorkspace({ size, addon, twin, termCount, seed, log }) {
  const plan = PLANS[size]
  const cached = cachedWorkspace({ size, seed })
  // Appending must not change what the next run measures.
  const root = mkdtempSync(join(dirname(cached), 'measured-'))
  try {
    cpSync(cached, root, { recursive: true })
    log(`${size}: floors`)
    const floors = measureFloors(root, plan.floorRounds)
    const suite = new Suite({ root, addon, twin, plan, log: (text) => log(`${size}: ${text}`) })
    await suite.start()
    try {
      const queries = await suite.measureQueries(QUERIES)
      const terms = await suite.measureTerms(drawTerms(root, termCount, seed))
      const delay = await suite.measureDelay(QUERIES)
      const appends = await suite.measureAppends()
      const memory = await suite.measureMemory()
      const { mismatches, slower } = suite
      return { size, workspace: about(cached), floors, queries, terms, appends, delay, memory, mismatches, slower }
    } finally {
      await suite.stop()
    }
  } finally {
    rmSync(root, { recursive: true })
  }
}

class Suite {
  mismatches = []
  slower = []
  #root
  #addon
  #twin
  #plan
  #log
  #warm
  #warmReport
  #baseRss
  #warmRss
  #incumbent
  #coldRss = []

  constructor({ root, addon, twin, plan, log }) {
    this.#root = root
    this.#addon = addon
    this.#twin = twin
    this.#plan = plan
    this.#log = log
  }

  async start() {
    this.#incumbent = await EngineProcess.start(this.#twin, this.#root)
    this.#warm = await EngineProcess.start(this.#addon, this.#root)
    this.#baseRss = (await this.#warm.ask('memory')).rss
    this.#warmReport = await this.#warm.ask('warm')
    this.#warmRss = (await this.#warm.ask('memory')).rss - this.#baseRss
  }

  async stop() {
    await this.#warm.stop()
    await this.#incumbent.stop()
  }

  /** The named queries: cold, warm, full scan and twin in turns. */
  async measureQueries(queries) {
    const measured = []
    for (const [index, { name, terms }] of queries.entries()) {
      this.#log(name)
      const request = { terms }
      const cold = []
      const twin = []
      const warm = []
      const answers = {}
      const asksTwin = index < this.#plan.twinQueries
      for (let round = 0; round < this.#plan.coldRounds; round += 1) {
        if (asksTwin && round < this.#plan.twinRounds) {
          const reply = await this.#incumbent.ask('recall', { request })
          twin.push(...reply.times)
          answers.twin = reply.answer
        }
        const fresh = await coldAnswer(this.#addon, this.#root, request)
        cold.push(fresh.ms)
        this.#coldRss.push(fresh.extraRss)
        answers.cold = fresh.answer
        const repeat = Math.ceil(this.#plan.warmRounds / this.#plan.coldRounds)
        const reply = await this.#warm.ask('recall', { request, repeat })
        warm.push(...reply.times)
        answers.warm = reply.answer
      }
      const full = await this.#warm.ask('recall', { request, options: { fullScan: true } })
      answers['full scan'] = full.answer
      this.#compare(name, answers)
      const passages = answers.warm.ok ? answers.warm.passages.length : undefined
      const matched = answers.warm.coverage?.matchedMessages
      const row = { name, terms, passages, matched, cold: summary(cold), warm: summary(warm), full: full.times[0] }
      measured.push({ ...row, twin: summary(twin), ...this.#against(name, { cold, warm }, twin) })
    }
    return measured
  }

  /** Random terms: each asked once, then again; some of the twin and of fresh processes too. */
  async measureTerms(terms) {
    this.#log(`${terms.length} random terms`)
    const first = []
    const again = []
    const cold = []
    const full = []
    const twin = []
    const firstOfTwin = []
    for (const [index, term] of terms.entries()) {
      const request = { terms: [term] }
      const answers = {}
      const ask = async (engine, options) => {
        const { times, answer } = await engine.ask('recall', { request, options })
        return { ms: times[0], answer }
      }
      const once = await ask(this.#warm)
      const twice = await ask(this.#warm)
      first.push(once.ms)
      again.push(twice.ms)
      answers.warm = once.answer
      answers['warm again'] = twice.answer
      if (index < CHECKED_TERMS || index < this.#plan.twinTerms) {
        const scanned = await ask(this.#warm, { fullScan: true })
        full.push(scanned.ms)
        answers['full scan'] = scanned.answer
      }
      if (index < COLD_TERMS) {
        const fresh = await coldAnswer(this.#addon, this.#root, request)
        cold.push(fresh.ms)
        answers.cold = fresh.answer
      }
      if (index < this.#plan.twinTerms) {
        const reply = await ask(this.#incumbent)
        twin.push(reply.ms)
        firstOfTwin.push(once.ms)
        answers.twin = reply.answer
        this.#against(term, { warm: [once.ms], ...(index < COLD_TERMS && { cold: [cold.at(-1)] }) }, [reply.ms])
      }
      this.#compare(term, answers)
    }
    const samples = { first, again, cold, full, twin }
    const summaries = Object.fromEntries(Object.entries(samples).map(([name, times]) => [name, summary(times)]))
    const times = twin.length === 0 ? undefined : summary(twin).median / summary(firstOfTwin).median
    return { count: terms.length, ...summaries, timesFasterWarm: times }
  }

  /** How late the event loop is, idle and while the queries are answered. */
  async measureDelay(queries) {
    this.#log('event loop')
    const requests = queries.map(({ terms }) => ({ terms }))
    const idle = await this.#warm.ask('delay', { idleMs: IDLE_MS })
    const warm = await this.#warm.ask('delay', { requests: [...requests, ...requests, ...requests] })
    const fresh = await EngineProcess.start(this.#addon, this.#root)
    const cold = await fresh.ask('delay', { requests })
    await fresh.stop()
    const twinRequests = requests.slice(0, Math.min(2, this.#plan.twinQueries))
    const twin = await this.#incumbent.ask('delay', { requests: twinRequests })
    return { idle, cold, warm, twin }
  }

  /** The first answer after each of some appends, which has to hold what was appended. */
  async measureAppends() {
    this.#log('appends')
    const appender = new Appender(this.#root)
    const times = []
    for (let count = 0; count < APPENDS; count += 1) {
      const word = `appendedword${count}`
      appender.append(word)
      const request = { terms: [word] }
      const reply = await this.#warm.ask('recall', { request })
      times.push(...reply.times)
      if (reply.answer.passages?.length !== 1) this.mismatches.push(`${word}: appended, and not found`)
      if (count + 1 < APPENDS) continue
      const full = await this.#warm.ask('recall', { request, options: { fullScan: true } })
      const answers = { 'after an append': reply.answer, 'full scan': full.answer }
      if (0 < this.#plan.twinQueries) answers.twin = (await this.#incumbent.ask('recall', { request })).answer
      this.#compare(word, answers)
    }
    appender.close()
    return summary(times)
  }

  /** Memory over that of a process that has only loaded the engine. */
  async measureMemory() {
    const warm = await this.#warm.ask('memory')
    const twin = await this.#incumbent.ask('memory')
    return {
      coldExtraRss: summary(this.#coldRss).median,
      warmExtraRss: this.#warmRss,
      finalExtraRss: warm.rss - this.#baseRss,
      warmPeakExtraRss: warm.peak - this.#baseRss,
      twinPeakRss: twin.peak,
      warmReport: this.#warmReport,
      stats: await this.#warm.ask('stats'),
    }
  }

  #compare(name, answers) {
    const [[base, expected], ...others] = Object.entries(answers)
    for (const [other, answer] of others) {
      const found = difference(expected, answer)
      if (found !== undefined) this.mismatches.push(`${name}: ${base} and ${other} differ: ${found}`)
    }
  }

  /** How many times faster than the twin; a query that the twin wins is remembered. */
  #against(name, engines, twin) {
    if (twin.length === 0) return {}
    const ratios = {}
    for (const [engine, times] of Object.entries(engines)) {
      const ratio = summary(twin).median / summary(times).median
      ratios[engine] = ratio
      if (ratio < 1) this.slower.push(`${name}: ${engine} took ${(1 / ratio).toFixed(2)} times as long as the twin`)
    }
    return { timesFaster: ratios }
  }
}
