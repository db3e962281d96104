// The benchmark: the addon cold, warm and after an append, against the plain
// JavaScript twin and the floors, in one run.
//
//   npm run bench -- [--sizes 1.8MB,18MB,180MB] [--terms 400] [--seed 1] [--json FILE] [--addon MODULE]
//
// Ends with exit code 1 when any two answers differ.

import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { SIZES } from './generate.mjs'
import { reportOf } from './measure/report.mjs'
import { measureWorkspace } from './measure/suite.mjs'

const ADDON = fileURLToPath(new URL('../index.js', import.meta.url))
const TWIN = fileURLToPath(new URL('measure/twin-engine.mjs', import.meta.url))

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1.8MB,18MB,180MB' },
    terms: { type: 'string', default: '400' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
    addon: { type: 'string', default: ADDON },
  },
})
const sizes = values.sizes.split(',')
const unknown = sizes.find((size) => SIZES[size] === undefined)
if (unknown !== undefined) throw new Error(`--sizes knows ${Object.keys(SIZES).join(', ')}, not ${unknown}`)
const termCount = Number(values.terms)
if (!Number.isInteger(termCount) || termCount < 1) throw new Error('--terms is a positive integer')

const workspaces = []
for (const size of sizes) {
  const options = { size, addon: resolve(values.addon), twin: TWIN, termCount, seed: values.seed }
  const measured = await measureWorkspace({ ...options, log: (text) => console.error(text) })
  workspaces.push(measured)
  console.log(`${reportOf(measured)}\n`)
}

const machine = {
  date: new Date().toISOString(),
  cpu: cpus()[0].model,
  cores: cpus().length,
  memory: totalmem(),
  platform: `${process.platform} ${process.arch}`,
  node: process.version,
  sqlite: process.versions.sqlite,
}
const { cpu, cores, platform, node, sqlite, date } = machine
console.log(`${cpu}, ${cores} cores, ${platform}, Node ${node}, SQLite ${sqlite}, ${date}`)
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ machine, workspaces }, null, 2)}\n`)

const mismatches = workspaces.flatMap((workspace) => workspace.mismatches)
if (0 < mismatches.length) {
  console.error(`${mismatches.length} answers differ`)
  process.exitCode = 1
}
