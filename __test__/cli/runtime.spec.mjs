import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { bundledNode, serves } from '../../bin/runtime.js'

test('a Node serves from 22.19 on, when it has node:sqlite', () => {
  const answers = (version) => serves(version, true)
  assert.deepEqual(['20.20.2', '22.5.0', '22.18.9', '22.19.0', '22.20.1', '24.0.0-pre', '100.0.0'].map(answers), [
    false, false, false, true, true, true, true,
  ])
  assert.equal(serves('23.0.0', false), false)
})

test('the Node package beside the command line is found, unless it is too old', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'recall-node-'))
  t.after(() => rmSync(home, { recursive: true }))
  const script = join(home, 'bin', 'recall.js')
  assert.equal(bundledNode(script), undefined)
  const folder = join(home, 'node_modules', 'node')
  const file = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(file, '')
  chmodSync(file, 0o755)
  const manifest = (version) => writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'node', version }))
  manifest('24.21.0')
  assert.equal(bundledNode(script), file)
  manifest('20.1.0')
  assert.equal(bundledNode(script), undefined)
  manifest('24.21.0')
  rmSync(file)
  assert.equal(bundledNode(script), undefined)
})

test('an unfit Node hands over to the one of the package, with its arguments and its exit status', (t) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'recall-node-')))
  t.after(() => rmSync(home, { recursive: true }))
  const folder = join(home, 'node_modules', 'node')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'node', version: process.versions.node }))
  symlinkSync(process.execPath, join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node'))
  const runtime = new URL('../../bin/runtime.js', import.meta.url).href
  const script = join(home, 'script.mjs')
  writeFileSync(
    script,
    `import { runOnBundledNode } from ${JSON.stringify(runtime)}
    const argv = process.argv.slice(2)
    if (process.env.MAKA_RECALL_NODE) {
      console.log(JSON.stringify(argv))
      const again = await runOnBundledNode(process.argv[1], argv).catch((error) => error.name)
      console.log(again)
      process.exit(7)
    }
    process.exitCode = await runOnBundledNode(process.argv[1], argv)`,
  )
  const { MAKA_RECALL_NODE: _mark, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '模型', '--json'], { encoding: 'utf8', env })
  assert.deepEqual({ status, stdout, stderr }, { status: 7, stdout: '["模型","--json"]\nFailure\n', stderr: '' })
})
