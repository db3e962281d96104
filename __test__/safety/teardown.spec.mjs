// A process or a worker ends in the middle of work, at every point of it: its
// exit code is its own, nothing crashes, nothing hangs.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { before, describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { setTimeout } from 'node:timers/promises'

import * as addon from '../../index.js'
import { cachedWorkspace } from '../../bench/generate.mjs'

const ADDON = new URL('../../index.js', import.meta.url).href
const ROUNDS = 50
/** A process that lives longer hangs. */
const HANGS_MS = 60_000
const AT_ONCE = Math.max(2, availableParallelism())
/** More than a process needs to begin its calls; ends are spread over this time. */
const WORK_MS = 60

const roots = {}
before(() => {
  roots.large = cachedWorkspace({ size: '18MB' })
  roots.small = cachedWorkspace({ size: '1.8MB' })
})

/** The beginning of a script that works in a workspace of a size. */
const prelude = (size) => `
    const root = ${JSON.stringify(roots[size])}
    const deps = { workspaceRoot: root, getPrivacyContext: () => ({ incognitoActive: false }) }
    const never = () => new Promise(() => {})
    const work = (addon) => {
      const abortSignal = new AbortController().signal
      addon.warm(deps.workspaceRoot, { abortSignal }).catch(() => {})
      for (const terms of [['the'], ['的'], ['zzzznotfound']]) {
        addon.recall({ terms }, deps, { fullScan: true, abortSignal }).catch(() => {})
        addon.searchThreads({ source: 'thread', query: terms[0] }, deps, { abortSignal }).catch(() => {})
      }
      addon.recall({ terms: ['x'] }, { ...deps, workspaceRoot: undefined, listSessions: never, readMessages: never })
    }`

/** Runs `ROUNDS` processes of `end`, a script that has \`point\`, 0 to 1. */
async function processes(end, expected) {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => round)
  const next = async () => {
    for (let round = rounds.shift(); round !== undefined; round = rounds.shift()) {
      assert.deepEqual(await processOf(end, round / ROUNDS), expected, `round ${round}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
}

function processOf(end, point) {
  const source = `${prelude('large')}
    import(${JSON.stringify(ADDON)}).then((addon) => {
      const point = ${point}
      work(addon)
      ${end}
    })`
  const child = spawn(process.execPath, ['--no-warnings', '-e', source], { timeout: HANGS_MS, killSignal: 'SIGKILL' })
  let err = ''
  child.stderr.on('data', (data) => (err += data))
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      // What an uncaught error prints ends with the version of Node.
      resolve({ code, signal, err: /Error: (\w+)/.exec(err)?.[1] ?? err })
    })
  })
}

describe(`a process, ${ROUNDS} times`, () => {
  test('exits', () =>
    processes(`setTimeout(() => process.exit(7), point * ${WORK_MS})`, { code: 7, signal: null, err: '' }))

  test('does not catch an error', () =>
    processes(`setTimeout(() => { throw new Error('mine') }, point * ${WORK_MS})`, { code: 1, signal: null, err: 'mine' }))
})

/** A worker at work; `end` is a script. */
function worker(end, size) {
  const source = `${prelude(size)}
    const { parentPort } = require('node:worker_threads')
    import(${JSON.stringify(ADDON)}).then((addon) => {
      work(addon)
      parentPort.postMessage('at work')
      ${end}
    })`
  const thread = new Worker(source, { eval: true })
  const errors = []
  thread.on('error', (error) => errors.push(error.message))
  const exited = new Promise((resolve) => thread.once('exit', (code) => resolve({ code, errors })))
  const working = new Promise((resolve) => thread.once('message', resolve))
  return { thread, working, exited }
}

/** Runs `ROUNDS` workers, some at a time. */
async function workers(end, expected, { stop = () => {}, size = 'large' } = {}) {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => round)
  const next = async () => {
    for (let round = rounds.shift(); round !== undefined; round = rounds.shift()) {
      const { thread, working, exited } = worker(end, size)
      await working
      await stop(thread, round / ROUNDS)
      const hangs = new AbortController()
      const late = setTimeout(HANGS_MS, 'hangs', { signal: hangs.signal, ref: false }).catch(() => {})
      assert.deepEqual(await Promise.race([exited, late]), expected, `round ${round}`)
      hangs.abort()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
}

describe(`a worker, ${ROUNDS} times`, () => {
  test('is terminated', () =>
    workers('', { code: 1, errors: [] }, {
      async stop(thread, point) {
        await setTimeout(point * WORK_MS)
        await thread.terminate()
      },
    }))

  test('exits', () => workers('process.exit(7)', { code: 7, errors: [] }))

  test('comes to its end in the middle of work', () =>
    workers('parentPort.close()', { code: 0, errors: [] }, { size: 'small' }))

  test('does not catch an error', () => workers(`throw new Error('mine')`, { code: 1, errors: ['mine'] }))
})

test('workers that work at once answer alike, one ends and the others go on', async () => {
  const request = { terms: ['the', '的'] }
  const deps = { workspaceRoot: roots.large, getPrivacyContext: () => ({ incognitoActive: false }) }
  const expected = JSON.stringify(await addon.recall(request, deps, { fullScan: true }))
  const asking = `${prelude('large')}
    const { parentPort } = require('node:worker_threads')
    import(${JSON.stringify(ADDON)}).then(async (addon) => {
      for (let call = 0; call < 4; call++) {
        parentPort.postMessage(JSON.stringify(await addon.recall(${JSON.stringify(request)}, deps, { fullScan: true })))
      }
    })`
  const others = [worker('', 'large'), worker('', 'large')]
  const threads = Array.from({ length: 3 }, () => new Worker(asking, { eval: true }))
  const answers = threads.map(
    (thread) =>
      new Promise((resolve, reject) => {
        const heard = []
        thread.on('message', (answer) => heard.push(answer))
        thread.on('error', reject)
        thread.on('exit', (code) => resolve({ code, heard }))
      }),
  )
  for (const { thread, working } of others) {
    await working
    await thread.terminate()
  }
  for (const answer of await Promise.all(answers)) assert.deepEqual(answer, { code: 0, heard: Array(4).fill(expected) })
  assert.equal(JSON.stringify(await addon.recall(request, deps, { fullScan: true })), expected)
})
