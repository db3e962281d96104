// Whether this Node can lend its SQLite, and which other one can.
//
// The addon reads through the SQLite inside Node (`node:sqlite`), so this is
// settled before the addon is loaded.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'

import { Failure } from './failure.js'

/** The oldest Node whose SQLite is new enough (3.45.3 and later). */
export const OLDEST_NODE = '22.19.0'

/** Set for the second Node, so that two unfit ones do not start each other for ever. */
const MARK = 'MAKA_RECALL_NODE'
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Whether the running Node serves.
 *
 * @param {string} version such as `22.19.0`
 * @param {boolean} hasSqlite whether `node:sqlite` can be imported
 */
export function serves(version, hasSqlite) {
  return hasSqlite && !older(version, OLDEST_NODE)
}

/** Whether the running process serves. */
export function thisNodeServes() {
  return serves(process.versions.node, isBuiltin('node:sqlite'))
}

/**
 * The executable of the `node` package that stands beside this one.
 *
 * @param {string} from file or URL of a module: where the package is looked for
 * @returns {string | undefined} absent when there is none, or it is too old
 */
export function bundledNode(from) {
  let manifest
  try {
    manifest = createRequire(from).resolve('node/package.json')
  } catch {
    return undefined
  }
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  if (older(String(version), OLDEST_NODE)) return undefined
  const file = process.platform === 'win32' ? 'node.exe' : 'node'
  const executable = join(dirname(manifest), 'bin', file)
  return existsSync(executable) ? executable : undefined
}

/**
 * Runs `script` again on the package's own Node, and takes its exit status over.
 *
 * @param {string} script path of the program
 * @param {readonly string[]} argv its arguments
 * @returns {Promise<number>} the exit status
 * @throws {Failure} when there is no Node that serves; says what is missing
 */
export async function runOnBundledNode(script, argv) {
  const executable = process.env[MARK] ? undefined : bundledNode(script)
  if (executable === undefined) {
    throw new Failure(
      `Node ${process.versions.node} has no node:sqlite that serves; use Node ${OLDEST_NODE} or later, or install the package "node@24" beside this one`,
    )
  }
  const child = spawn(executable, [script, ...argv], {
    stdio: 'inherit',
    env: { ...process.env, [MARK]: '1' },
  })
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Failure(`${executable} does not start: ${error.message}`)))
    child.once('exit', (status, signal) => resolve(signal === null ? status : 2))
  })
}

/** Node 22 and 23 warn that their SQLite is experimental: no news to who searches. */
export function silenceSqliteWarning() {
  const emit = process.emitWarning
  process.emitWarning = (warning, ...rest) => {
    if (/^SQLite is an experimental feature/.test(String(warning?.message ?? warning))) return
    emit.call(process, warning, ...rest)
  }
}

function older(version, than) {
  const left = version.split('.').map((part) => Number.parseInt(part, 10))
  const right = than.split('.').map(Number)
  for (let at = 0; at < right.length; at += 1) {
    if (left[at] !== right[at]) return left[at] < right[at]
  }
  return false
}
