// Where the workspace is when nobody says so.
//
// The app keeps its data in one folder per system (Electron's userData of the
// profile "Maka"); workspaces stand in it by name. No environment variable
// names a workspace.

import { readdirSync, statSync } from 'node:fs'
import { posix, win32 } from 'node:path'

import { Failure } from './failure.js'

const PROFILE = 'Maka'
const DEFAULT_WORKSPACE = 'default'

/**
 * The folder that holds the workspaces of the app.
 *
 * @param {{platform: string, env: Record<string, string | undefined>, home: string}} system
 * @returns {string}
 */
export function workspacesFolder({ platform, env, home }) {
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', PROFILE, 'workspaces')
  if (platform === 'win32') {
    const roaming = env.APPDATA || win32.join(home, 'AppData', 'Roaming')
    return win32.join(roaming, PROFILE, 'workspaces')
  }
  // A relative XDG_CONFIG_HOME does not count.
  const configured = env.XDG_CONFIG_HOME
  const config = configured && posix.isAbsolute(configured) ? configured : posix.join(home, '.config')
  return posix.join(config, PROFILE, 'workspaces')
}

/**
 * The workspace that is searched without `--root`.
 *
 * @param {{platform: string, env: Record<string, string | undefined>, home: string}} system
 * @returns {string}
 * @throws {Failure} when there is none; names the other workspaces that are there
 */
export function defaultRoot(system) {
  const folder = workspacesFolder(system)
  const { join } = system.platform === 'win32' ? win32 : posix
  const root = join(folder, DEFAULT_WORKSPACE)
  if (isFolder(root)) return root
  const others = subfolders(folder).map((name) => join(folder, name))
  if (others.length === 0) {
    throw new Failure(`no workspace at ${root}; name one with --root DIR`)
  }
  throw new Failure(`no workspace at ${root}; name one with --root DIR, such as ${others.join(', ')}`)
}

function isFolder(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function subfolders(path) {
  try {
    const entries = readdirSync(path, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  } catch {
    // No folder, or none that may be listed: then there is nothing to suggest.
    return []
  }
}
