// The process ends when it should: not before an answer, not long after exit().

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, before, test } from 'node:test'

import { copyOf } from './golden.mjs'

const ADDON = new URL('../index.js', import.meta.url).href
// A child that hangs is killed, and fails its test: far more than it needs.
const HANGS_MS = 60_000
// What Node exits with when a top-level await is never settled.
const UNSETTLED = 13

let copy
before(() => (copy = copyOf('edge2-headers')))
after(() => copy.remove())

/** Runs `script` as a module of its own process. */
function run(script) {
  const source = `import * as addon from ${JSON.stringify(ADDON)}
    const allowed = { getPrivacyContext: () => ({ incognitoActive: false }) }
    const workspace = { ...allowed, workspaceRoot: ${JSON.stringify(copy.root)} }
    const never = () => new Promise(() => {})
    const stuck = { ...allowed, listSessions: never, readMessages: never }
    ${script}`
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', source], { timeout: HANGS_MS })
  let out = ''
  let err = ''
  child.stdout.on('data', (data) => (out += data))
  child.stderr.on('data', (data) => (err += data))
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, out: out.trim(), err }))
  })
}

test('a script that only waits for an answer gets it', async () => {
  const { code, out, err } = await run(
    `console.log((await addon.recall({ terms: ['zzzznotfound'] }, workspace)).ok)`,
  )
  assert.equal(out, 'true', err)
  assert.equal(code, 0)
})

test('an answer that nobody waits for is still made', async () => {
  const { code, out } = await run(`addon.recall({ terms: ['zzzznotfound'] }, workspace).then(({ ok }) => console.log(ok))`)
  assert.equal(out, 'true')
  assert.equal(code, 0)
})

test('a callback that takes its time holds the process by its own means', async () => {
  const { code, out } = await run(`const deps = {
      ...allowed, readMessages: never,
      listSessions: () => new Promise((resolve) => setTimeout(resolve, 100, [])),
    }
    console.log((await addon.recall({ terms: ['x'] }, deps)).ok)`)
  assert.equal(out, 'true')
  assert.equal(code, 0)
})

test('a callback that nothing settles does not hold the process', async () => {
  const { code, signal } = await run(`await addon.recall({ terms: ['x'] }, stuck)`)
  assert.equal(signal, null)
  assert.equal(code, UNSETTLED)
})

test('exit does not wait for work', async () => {
  for (let round = 0; round < 10; round++) {
    const { code, signal, err } = await run(`
      for (let call = 0; call < 8; call++) addon.recall({ terms: ['e', 'a'] }, workspace, { fullScan: true })
      addon.recall({ terms: ['x'] }, stuck, { abortSignal: new AbortController().signal })
      setTimeout(() => process.exit(7), ${round})`)
    assert.deepEqual({ code, signal, err }, { code: 7, signal: null, err: '' })
  }
})

test('a call made while the process exits does no harm', async () => {
  const { code, signal, err } = await run(`process.on('exit', () => {
    addon.recall({ terms: ['e'] }, workspace)
    addon.recall({ terms: ['e'] }, stuck)
  })`)
  assert.deepEqual({ code, signal, err }, { code: 0, signal: null, err: '' })
})

test('an error of the host in the middle of a call ends the process as ever', async () => {
  const { code, err } = await run(`addon.recall({ terms: ['x'] }, {
    ...stuck, listSessions: () => { setImmediate(() => { throw new Error('mine') }); return never() },
  })`)
  assert.equal(code, 1)
  assert.match(err, /Error: mine/)
})
