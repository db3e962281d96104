// The golden data, as the tests use it: copies of workspaces, and exact comparison.

import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const GOLDEN = fileURLToPath(new URL('../tests/fixtures/golden/', import.meta.url))

export const WORKSPACES = ['tiny', 'edge2', 'empty', 'badfacts', 'badchunk'].flatMap((name) => [
  `${name}-headers`,
  `${name}-openings`,
])

/** The cases of a workspace, or of `deps`. */
export function casesOf(name) {
  return JSON.parse(readFileSync(join(GOLDEN, name, 'cases.json'), 'utf8'))
}

/** A copy of a workspace, and what deletes it again. */
export function copyOf(name) {
  const root = mkdtempSync(join(tmpdir(), 'recall-'))
  cpSync(join(GOLDEN, name), root, { recursive: true })
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) }
}

/** The options of a case as the interface takes them. */
export function optionsOf({ privacy, aborted, excludeTurnIds, ...options } = {}) {
  if (aborted) options.abortSignal = AbortSignal.abort()
  if (excludeTurnIds !== undefined) options.excludeTurnIds = new Set(excludeTurnIds)
  return options
}

/** Absent and undefined are the same; the order of keys does not matter. */
export const plain = (value) => JSON.parse(JSON.stringify(value))

/** Compares exactly; a failure that is expected without a message may have any. */
export function same(actual, expected) {
  const answer = plain(actual)
  if (expected.ok === false && expected.message === undefined) {
    assert.equal(typeof answer.message, 'string')
    assert.notEqual(answer.message, '')
    delete answer.message
  }
  assert.deepEqual(answer, expected)
}

/** Takes out of an answer how its Sessions were found, which is free; it must say so consistently. */
export function withoutNarrowing(answer) {
  if (answer.coverage === undefined) return answer
  const { scannedFully, coverage, ...rest } = answer
  const { narrowed, ...covered } = coverage
  assert.equal(typeof narrowed, 'boolean')
  assert.equal(scannedFully, !narrowed)
  return { ...rest, coverage: covered }
}
