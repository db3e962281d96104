// The types: `types.mts` holds what must compile, and what must not.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import * as addon from '../index.js'

const { resolve } = createRequire(import.meta.url)

test('index.d.ts is accepted, and its unions narrow', () => {
  const manifest = resolve('typescript/package.json')
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'))
  const tsc = join(dirname(manifest), bin.tsc)
  const project = fileURLToPath(new URL('tsconfig.json', import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
})

test('index.d.ts declares what index.js exports', () => {
  const types = readFileSync(new URL('../index.d.ts', import.meta.url), 'utf8')
  const declared = [...types.matchAll(/^export declare (?:function|const) (\w+)/gm)].map(([, name]) => name)
  assert.deepEqual(declared.sort(), Object.keys(addon).sort())
})
