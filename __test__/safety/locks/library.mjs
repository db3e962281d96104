// The library with the exports of the feature `lock-tests`, in a folder of its
// own: the files of the package stay as they are.

import { spawnSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url))
const FOLDER = join(PROJECT, 'target', 'lock-tests')
const BUILT = { darwin: 'librecall_native.dylib', win32: 'recall_native.dll' }[process.platform] ?? 'librecall_native.so'

/**
 * Builds it, in no time when it is there, and gives its path; `undefined` on a
 * machine without cargo. Throws what cargo says: a library that does not build
 * is a failure everywhere.
 */
export function lockTestLibrary() {
  const args = ['build', '--quiet', '--lib', '--features', 'lock-tests', '--target-dir', FOLDER]
  const env = { ...process.env, SQLITE3_NO_PKG_CONFIG: '1', CARGO_PROFILE_DEV_DEBUG: '0' }
  const { status, error, stderr } = spawnSync('cargo', args, { cwd: PROJECT, env, encoding: 'utf8' })
  if (error?.code === 'ENOENT') return undefined
  if (status !== 0) throw new Error(`the feature lock-tests does not build: ${error?.message ?? stderr}`)
  const library = join(FOLDER, 'recall-lock-tests.node')
  copyFileSync(join(FOLDER, 'debug', BUILT), library)
  return library
}
