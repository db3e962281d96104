// The benchmark measures what it says, and notices an engine that is wrong.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { chartOf } from '../bench/chart.mjs'
import { difference } from '../bench/measure/compare.mjs'
import { quantile, summary } from '../bench/measure/statistics.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

test('quantiles are samples', () => {
  const samples = [5, 1, 4, 2, 3]
  assert.equal(quantile(samples, 0.5), 3)
  assert.equal(quantile(samples, 0.99), 5)
  assert.equal(quantile(samples, 0), 1)
  assert.deepEqual(summary([7]), { median: 7, p99: 7, samples: 1 })
  assert.equal(summary([]), undefined)
})

test('answers are compared whole, but for how they were found', () => {
  const answer = { ok: true, passages: [{ score: 1 }], scannedFully: true, coverage: { narrowed: false, matchedMessages: 1 } }
  const narrowed = { ...answer, scannedFully: false, coverage: { narrowed: true, matchedMessages: 1 }, explain: undefined }
  assert.equal(difference(answer, narrowed), undefined)
  assert.equal(difference(answer, { ...narrowed, passages: [{ score: 2 }] }), 'answer.passages.0.score: 1 and 2')
  assert.equal(difference(answer, { ...narrowed, passages: [] }), 'answer.passages.0: {"score":1} and nothing')
  const refused = { ok: false, reason: 'unavailable' }
  assert.equal(difference(answer, refused), 'answer.ok: true and false')
})

/** Runs the benchmark on the smallest workspace: `{code, stdout, stderr, result}`. */
function bench(t, addon) {
  const directory = mkdtempSync(join(tmpdir(), 'recall-bench-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const json = join(directory, 'result.json')
  const options = ['--sizes', '0.3MB', '--terms', '4', '--json', json, '--addon', addon(directory)]
  const run = [here('../bench/run.mjs'), ...options]
  return new Promise((resolve) => {
    execFile(process.execPath, run, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr, result: JSON.parse(readFileSync(json, 'utf8')) })
    })
  })
}

test('an engine that answers right is measured', async (t) => {
  const { code, stdout, result } = await bench(t, () => here('../bench/measure/twin-engine.mjs'))
  assert.equal(code, 0)
  const [workspace] = result.workspaces
  assert.deepEqual(workspace.mismatches, [])
  assert.equal(workspace.queries.length, 8)
  for (const { name, cold, warm, twin, timesFaster } of workspace.queries) {
    assert.deepEqual([cold.samples, warm.samples, twin.samples], [1, 2, 1], name)
    assert.equal(timesFaster.cold, twin.median / cold.median)
  }
  assert.equal(workspace.terms.first.samples, 4)
  assert.equal(workspace.appends.samples, 20)
  for (const name of ['memcpy', 'memmem', 'sqliteRows', 'jsRows']) assert.ok(0 < workspace.floors[name], name)
  assert.ok(stdout.includes('| 模型 |'))
  const chart = chartOf(result)
  assert.ok(chart.startsWith('<svg ') && chart.includes('plain JavaScript'))
})

test('an engine that answers wrong once fails the run, and the answer is named', async (t) => {
  const liar = (directory) => {
    const path = join(directory, 'liar.mjs')
    const twin = pathToFileURL(here('../bench/twin/index.js')).href
    writeFileSync(path, `
      import { twinRecall } from ${JSON.stringify(twin)}
      export async function recall(request, deps, options) {
        const answer = await twinRecall(request, deps, options)
        return options?.fullScan || request.terms[0] !== '图片' ? answer : { ...answer, gaps: '' }
      }
    `)
    return path
  }
  const { code, stdout, result } = await bench(t, liar)
  assert.equal(code, 1)
  const [mismatch, ...others] = result.workspaces[0].mismatches
  assert.match(mismatch, /^图片: twin and cold differ: answer\.gaps: /)
  assert.deepEqual(others.map((text) => text.split(':')[1].trim()), ['twin and warm differ'])
  assert.ok(stdout.includes('* 图片: twin and cold differ'))
})
