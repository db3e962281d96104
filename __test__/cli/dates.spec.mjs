import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

import { parseBound } from '../../bin/dates.js'

/** Bounds as another time zone sees them: a process reads TZ once. */
function boundsIn(zone, texts) {
  const module = new URL('../../bin/dates.js', import.meta.url).href
  const script = `import { parseBound } from ${JSON.stringify(module)}
    const texts = JSON.parse(process.argv[1])
    console.log(JSON.stringify(texts.map(([text, side]) => new Date(parseBound(text, side)).toISOString())))`
  const argv = ['--input-type=module', '-e', script, JSON.stringify(texts)]
  const { stdout, stderr } = spawnSync(process.execPath, argv, { env: { ...process.env, TZ: zone }, encoding: 'utf8' })
  assert.equal(stderr, '')
  return JSON.parse(stdout)
}

test('a day is the local day, first to last millisecond', () => {
  assert.deepEqual(boundsIn('Asia/Shanghai', [['2026-09-01', 'since'], ['2026-09-01', 'until']]), [
    '2026-08-31T16:00:00.000Z',
    '2026-09-01T15:59:59.999Z',
  ])
})

test('a message at half past eleven at night belongs to its local day', () => {
  const [since, until] = boundsIn('America/New_York', [['2026-09-01', 'since'], ['2026-09-01', 'until']])
  const message = '2026-09-02T03:30:00.000Z'
  assert.ok(since <= message && message <= until)
})

test('a day of 25 hours ends with its last hour', () => {
  assert.deepEqual(boundsIn('Europe/Berlin', [['2026-10-25', 'since'], ['2026-10-25', 'until']]), [
    '2026-10-24T22:00:00.000Z',
    '2026-10-25T22:59:59.999Z',
  ])
})

test('a time without a zone is local, with one it is exact', () => {
  const texts = [['2026-09-01T14:30', 'since'], ['2026-09-01 14:30:05.25', 'until'], ['2026-09-01T14:30Z', 'since'], ['2026-09-01T14:30+0200', 'since']]
  assert.deepEqual(boundsIn('Asia/Shanghai', texts), [
    '2026-09-01T06:30:00.000Z',
    '2026-09-01T06:30:05.250Z',
    '2026-09-01T14:30:00.000Z',
    '2026-09-01T12:30:00.000Z',
  ])
})

test('digits are epoch milliseconds', () => {
  assert.equal(parseBound('1788000000010', 'since'), 1788000000010)
  assert.equal(parseBound('0', 'until'), 0)
})

test('what is no date is refused by name', () => {
  const refused = (text, message) => assert.throws(() => parseBound(text, 'since'), { name: 'UsageFailure', message })
  refused('2026-02-29', '--since 2026-02-29: there is no such day')
  refused('2026-13-01T10:00', '--since 2026-13-01T10:00: there is no such day')
  refused('2026-09-01T25:00', '--since 2026-09-01T25:00: there is no such time')
  refused('20260901', '--since 20260901: write the day as 2026-09-01')
  for (const text of ['yesterday', '', '2026-9-1', '1.5', '-5']) {
    refused(text, `--since ${text}: not a date; use YYYY-MM-DD, ISO 8601 such as 2026-09-01T14:30, or epoch milliseconds`)
  }
})
