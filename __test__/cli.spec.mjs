// The command line as a person runs it, on the sample workspace.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { recall as recallInProcess } from '../index.js'

const REPOSITORY = new URL('../', import.meta.url)
const SCRIPT = fileURLToPath(new URL('bin/recall.js', REPOSITORY))
const SAMPLE = fileURLToPath(new URL('sample/workspace', REPOSITORY))
const ESC = '\u001b'

function environment(extra) {
  const { FORCE_COLOR: _forced, NO_COLOR: _none, COLUMNS: _columns, NODE_OPTIONS: _options, ...rest } = process.env
  return { ...rest, TZ: 'UTC', ...extra }
}

/** Runs the command line to its end. */
function run(argv, env = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...argv], { encoding: 'utf8', env: environment(env) })
  return { status, stdout, stderr }
}

const recall = (...argv) => run(['--root', SAMPLE, ...argv])

function json(...argv) {
  const { status, stdout, stderr } = recall('--json', ...argv)
  assert.equal(stderr, '')
  return { status, result: JSON.parse(stdout) }
}

const sessionsOf = ({ result }) => result.passages.map((passage) => passage.sessionId)

function folder(t) {
  const path = mkdtempSync(join(tmpdir(), 'recall-cli-'))
  t.after(() => rmSync(path, { recursive: true }))
  return path
}

test('a search shows ranked passages, a fact, a file, and what could not be read', () => {
  const { status, stdout, stderr } = recall('模型')
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(stdout, /^Known\n {4}默认模型是 lantern-medium（2026-11-04 起）。\n/)
  assert.match(stdout, /\n1\. {2}Which model for code review · 选模型 {2}2026-09-08 06:30 {2}模型 {2}score \d/)
  assert.match(stdout, /\[设置截图\.png\] image\/png, 6\.2 KiB {2}recall material context-window\/art_settings_shot/)
  assert.match(stdout, /1 Session\(s\) could not be read\.\nNot readable: import-half-done\n$/)
})

test('the workspace is left as it is', () => {
  const before = readdirSync(SAMPLE, { recursive: true }).sort()
  const changed = statSync(join(SAMPLE, 'runtime.sqlite')).mtimeMs
  recall('模型')
  recall('material', 'release-1-4/art_deploy_list')
  assert.deepEqual(readdirSync(SAMPLE, { recursive: true }).sort(), before)
  assert.equal(statSync(join(SAMPLE, 'runtime.sqlite')).mtimeMs, changed)
})

test('--json is the answer of the library', async () => {
  const deps = { workspaceRoot: SAMPLE, getPrivacyContext: () => ({ incognitoActive: false }) }
  const expected = await recallInProcess({ terms: ['上下文窗口', 'context window'], limit: 3 }, deps, { explain: true })
  const { status, result } = json('--limit', '3', '--explain', '上下文窗口', 'context window')
  assert.equal(status, 0)
  assert.deepEqual(result, JSON.parse(JSON.stringify(expected)))
})

test('an old Session that was never converted is found', () => {
  assert.deepEqual(sessionsOf(json('keychain')), ['first-setup'])
})

test('nothing found is status 1, with what was searched', () => {
  const { status, stdout, stderr } = recall('nowhere-to-be-found')
  assert.deepEqual([status, stderr], [1, ''])
  assert.match(stdout, /^No transcript match for: nowhere-to-be-found\. .*Searched \d+ Session\(s\)\./)
})

test('days, instants and milliseconds bound a search, both ends included', () => {
  assert.deepEqual(sessionsOf(json('--since', '2026-11-04', '模型')), ['default-model'])
  assert.deepEqual(sessionsOf(json('--until', '2026-03-11', '模型')), ['first-setup'])
  const day = ['--since', '2026-09-08', '--until', '2026-09-08', '模型']
  assert.deepEqual(new Set(sessionsOf(json(...day))), new Set(['model-choice']))
  const message = Date.parse('2026-09-08T06:30:04Z')
  assert.deepEqual(sessionsOf(json('--since', String(message), '--until', '2026-09-08T06:30:04Z', '模型')), ['model-choice'])
  assert.deepEqual(sessionsOf(json('--since', String(message + 1), '--until', String(message + 2), '模型')), [])
})

test('one Session, and archived ones, on request', () => {
  assert.deepEqual(new Set(sessionsOf(json('--session', 'memory-leak', '模型'))), new Set(['memory-leak']))
  assert.deepEqual(sessionsOf(json('twenty questions')), [])
  assert.deepEqual(sessionsOf(json('--archived', 'twenty questions')), ['old-experiments'])
})

test('after -- a command word is searched', () => {
  const { result } = json('--', 'more')
  assert.equal(result.ok, true)
  assert.match(result.gaps, /^No transcript match for: more\./)
})

test('what the engine refuses is an error with its message', () => {
  const many = recall(...'abcdefghi')
  assert.deepEqual([many.status, many.stdout], [2, ''])
  assert.match(many.stderr, /^recall: .+ \(invalid_query\)\n$/)
  const limit = json('--limit', '26', 'a')
  assert.deepEqual([limit.status, limit.result.ok, limit.result.reason], [2, false, 'invalid_query'])
})

test('a wrong command line is an error that names the argument', () => {
  const { status, stdout, stderr } = recall('--until', '2026-02-30', 'a')
  assert.deepEqual([status, stdout, stderr], [2, '', 'recall: --until 2026-02-30: there is no such day\nTry "recall --help".\n'])
})

test('a workspace that is not there is an error that names it', (t) => {
  const missing = join(folder(t), 'nowhere')
  const { status, stdout, stderr } = run(['--root', missing, 'a'])
  assert.deepEqual([status, stdout], [2, ''])
  assert.ok(stderr.includes(missing) && stderr.includes('(unavailable)'), stderr)
})

test('without a default workspace the person is told to name one', { skip: process.platform === 'win32' }, (t) => {
  const home = folder(t)
  const { status, stderr } = run(['a'], { HOME: home, XDG_CONFIG_HOME: home })
  assert.equal(status, 2)
  assert.match(stderr, /^recall: no workspace at .+default; name one with --root DIR\n$/)
})

test('help and version need no workspace', () => {
  const help = run(['--help'])
  assert.deepEqual([help.status, help.stderr], [0, ''])
  assert.match(help.stdout, /recall more ANCHOR/)
  const { version } = JSON.parse(readFileSync(new URL('package.json', REPOSITORY), 'utf8'))
  assert.deepEqual(run(['--version']), { status: 0, stdout: `${version}\n`, stderr: '' })
})

test('a pipe gets no colours, FORCE_COLOR brings them, NO_COLOR takes them', () => {
  const colours = (env) => run(['--root', SAMPLE, '浮窗'], env).stdout.includes(`${ESC}[1;33m浮窗`)
  assert.equal(colours({}), false)
  assert.equal(colours({ FORCE_COLOR: '1' }), true)
  assert.equal(colours({ NO_COLOR: '1' }), false)
  assert.equal(colours({ FORCE_COLOR: '0' }), false)
})

test('a secret comes out redacted, and cannot be found', () => {
  const { status, stdout } = recall('notify')
  assert.equal(status, 0)
  assert.match(stdout, /DEPLOY_TOKEN=\[redacted\]\n.*https:\/\/\[redacted\]@staging-eu\.example\/hook\?token=\[redacted\]/)
  assert.doesNotMatch(stdout, /not-a-real-token|demo-only|lantern:demo/)
  for (const term of ['lantern-demo-not', 'not-a-real-token', 'demo-only']) assert.equal(recall(term).status, 1, term)
  assert.match(recall('material', 'release-1-4/art_deploy_list').stdout, /deploy token: \[redacted\]/)
})

test('control sequences in recalled text never reach the terminal', (t) => {
  const root = join(folder(t), 'workspace')
  cpSync(SAMPLE, root, { recursive: true })
  const db = new DatabaseSync(join(root, 'runtime.sqlite'))
  const evil = `tram ${ESC}]52;c;cm0gLXJm\u0007${ESC}[2J\u009b31m\u202e28`
  const row = db.prepare("SELECT event_id, payload_json FROM runtime_events WHERE payload_json LIKE '%Alfama%'").get()
  const event = JSON.parse(row.payload_json)
  event.content.text = evil
  db.prepare('UPDATE runtime_events SET payload_json = ? WHERE event_id = ?').run(JSON.stringify(event), row.event_id)
  const header = db.prepare("SELECT payload_json FROM session_metadata WHERE session_id = 'trip-lisbon'").get()
  const named = { ...JSON.parse(header.payload_json), name: `Lisbon${ESC}[2J\nfake line` }
  db.prepare("UPDATE session_metadata SET payload_json = ? WHERE session_id = 'trip-lisbon'").run(JSON.stringify(named))
  db.close()
  for (const argv of [['tram'], ['--json', 'tram'], ['threads', 'tram'], ['threads', 'Lisbon']]) {
    const { status, stdout } = run(['--root', root, ...argv])
    assert.equal(status, 0)
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  }
  const { stdout } = run(['--root', root, 'tram'])
  assert.match(stdout, /Lisbon fake line/)
  assert.match(stdout, /tram <U\+202E>28\n/)
})

test('a reader that closes the pipe is no error', async () => {
  const child = spawn(process.execPath, [SCRIPT, '--root', SAMPLE, '--json', '模型'], { env: environment({}) })
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += chunk))
  child.stdout.destroy()
  const status = await new Promise((resolve) => child.once('close', resolve))
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
})

test('output that cannot be written is an error', { skip: !existsSync('/dev/full') }, () => {
  const full = openSync('/dev/full', 'w')
  const stdio = ['ignore', full, 'pipe']
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, '--help'], { encoding: 'utf8', env: environment({}), stdio })
  closeSync(full)
  assert.equal(status, 2)
  assert.match(stderr, /^recall: cannot write the output: ENOSPC/)
})

test('more shows the turn of an anchor, and an unknown one is nothing found', () => {
  const { status, result } = json('more', '--before', '1', '--after', '0', 'first-setup/first-setup-3')
  assert.equal(status, 0)
  assert.deepEqual(result.passage.messages.map((message) => message.messageId), ['first-setup-call', 'first-setup-3'])
  assert.equal(result.passage.hasMoreBefore, true)
  const unknown = recall('more', 'first-setup/nobody')
  assert.deepEqual([unknown.status, unknown.stdout], [1, ''])
  assert.match(unknown.stderr, /^recall: .+ \(not_found\)\n$/)
})

test('a screenshot is described, and written byte for byte', (t) => {
  const id = 'context-window/art_settings_shot'
  assert.match(recall('material', id).stdout, /^An image, image\/png\./)
  const file = join(folder(t), 'shot.png')
  assert.deepEqual(recall('material', id, '-o', file), { status: 0, stdout: '', stderr: '' })
  const [name] = readdirSync(join(SAMPLE, 'artifacts', 'context-window'))
  assert.deepEqual(readFileSync(file), readFileSync(join(SAMPLE, 'artifacts', 'context-window', name)))
  const again = recall('material', id, '-o', file)
  assert.deepEqual([again.status, again.stderr], [2, `recall: ${file} exists; overwrite it with --force\n`])
  assert.equal(recall('material', 'context-window/art_other').status, 1)
})

test('threads lists titles and messages, newest Session first', () => {
  const { status, result } = json('threads', '--limit', '3', '默认模型')
  assert.equal(status, 0)
  const places = result.map(({ target, summary }) => [target.sessionId, summary])
  assert.deepEqual(places, [
    ['default-model', '任务标题'],
    ['default-model', '用户消息'],
    ['default-model', '工具调用：Edit'],
  ])
  assert.equal(recall('threads', 'nowhere-to-be-found').status, 1)
  assert.deepEqual(json('threads', 'twenty questions').result, [])
  const archived = json('threads', '--archived', 'twenty questions').result
  assert.deepEqual(archived.map(({ target }) => target.sessionId), ['old-experiments'])
})

test('stats reads ahead and says what that keeps', () => {
  const { status, stdout } = recall('stats')
  assert.equal(status, 0)
  assert.match(stdout, /^Read ahead in \d+ ms\n {4}Sessions that may be searched {3}15\n(?: {4}.+\n){4}$/)
  const { result } = json('stats')
  assert.deepEqual(Object.keys(result), ['warm', 'stats'])
})
