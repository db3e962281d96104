import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { defaultRoot, workspacesFolder } from '../../bin/roots.js'

test('each system has its folder', () => {
  const folder = (platform, env, home) => workspacesFolder({ platform, env, home })
  assert.equal(folder('darwin', {}, '/Users/mei'), '/Users/mei/Library/Application Support/Maka/workspaces')
  assert.equal(folder('win32', { APPDATA: 'D:\\Roam' }, 'C:\\Users\\mei'), 'D:\\Roam\\Maka\\workspaces')
  assert.equal(folder('win32', {}, 'C:\\Users\\mei'), 'C:\\Users\\mei\\AppData\\Roaming\\Maka\\workspaces')
  assert.equal(folder('linux', {}, '/home/mei'), '/home/mei/.config/Maka/workspaces')
  assert.equal(folder('linux', { XDG_CONFIG_HOME: '/cfg' }, '/home/mei'), '/cfg/Maka/workspaces')
  assert.equal(folder('linux', { XDG_CONFIG_HOME: 'cfg' }, '/home/mei'), '/home/mei/.config/Maka/workspaces')
})

test('the workspace named default is the default, and others are suggested', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'recall-roots-'))
  t.after(() => rmSync(home, { recursive: true }))
  const system = { platform: 'linux', env: {}, home }
  const folder = workspacesFolder(system)
  const missing = `no workspace at ${join(folder, 'default')}; name one with --root DIR`
  assert.throws(() => defaultRoot(system), { name: 'Failure', message: missing })
  mkdirSync(join(folder, 'work'), { recursive: true })
  assert.throws(() => defaultRoot(system), { message: `${missing}, such as ${join(folder, 'work')}` })
  mkdirSync(join(folder, 'default'))
  assert.equal(defaultRoot(system), join(folder, 'default'))
})
