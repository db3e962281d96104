// The addon shares the host's SQLite, so no lock of the host is ever lost: what
// happens with a second copy is shown by the negative control.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { lockTestLibrary } from './locks/library.mjs'
import { Remote } from './remote.mjs'

/** A process that hangs is killed, and fails its test. */
const HANGS_MS = 120_000
const STRESS_MS = 6_000
const WINDOWS = process.platform === 'win32'

async function run(file, ...args) {
  const process = new Remote(new URL(file, import.meta.url), args)
  const watch = setTimeout(() => process.kill('SIGKILL'), HANGS_MS)
  const ended = await process.exited
  clearTimeout(watch)
  return { said: process.said, ...ended }
}

function holding({ said }) {
  return Object.fromEntries(said.filter(({ trial }) => trial).map(({ trial, holds }) => [trial, holds]))
}

test('the locks of the host outlive recalls', async () => {
  const trials = await run('locks/trials.mjs', 'T1,T2,T3', 'fair')
  assert.deepEqual(holding(trials), { T1: true, T2: true, T3: true }, JSON.stringify(trials))
  assert.deepEqual([trials.code, trials.signal], [0, null])
})

test('negative control: a descriptor that is closed loses every one of them', { skip: WINDOWS && 'locks belong to the handle there' }, async () => {
  for (const trial of ['T1', 'T2', 'T3']) {
    const sabotaged = await run('locks/trials.mjs', trial, 'sabotage')
    // It may also end by a signal, having cut the memory that it shares.
    assert.notEqual(holding(sabotaged)[trial], true, `${trial}: ${JSON.stringify(sabotaged)}`)
  }
})

describe('our own locks', () => {
  const library = lockTestLibrary()
  test('are known to the host, and its locks to us', { skip: library === undefined && 'there is no cargo here' }, async () => {
    const trials = await run('locks/trials.mjs', 'T4,T5', 'fair', library)
    assert.deepEqual(holding(trials), { T4: true, T5: true }, JSON.stringify(trials))
    assert.deepEqual([trials.code, trials.signal], [0, null])
  })
})

test('two processes commit while recalls run: nothing is torn, nothing is lost', async () => {
  const { said, code, signal, err } = await run('locks/stress.mjs', String(STRESS_MS))
  assert.deepEqual([code, signal, err], [0, null, ''])
  const [{ torn, recalls, acknowledged, found, integrity }] = said
  assert.deepEqual({ torn, found, integrity }, { torn: [], found: acknowledged, integrity: 'ok' })
  for (const [who, work] of Object.entries({ recalls, ...acknowledged })) assert.ok(20 <= work, `${who}: ${work}`)
})
