// The swap proof: the host's tool module and its modal, compiled once with the
// host's own scan and once with this package, differ in one import line each
// and answer alike.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { openSource } from '../../bench/twin/source.js'

const HERE = dirname(fileURLToPath(import.meta.url))
const REPOSITORY = join(HERE, '..', '..')
const SAMPLE = join(REPOSITORY, 'sample', 'workspace')
const SWAPPED = ['recall-tool.ts', 'thread-search-ipc.ts']
const OWN = "from './scan.js'"
const OURS = "from '@maka/recall-native'"

let folder
/** The two hosts: what each module exports. */
let scanning
let native

before(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'recall-host-')))
  scanning = await compile('scanning', (source) => source)
  native = await compile('native', (source) => source.replace(OWN, OURS))
})

after(() => rmSync(folder, { recursive: true, force: true }))

/** Type-checks and compiles the host, each swapped module through `edit`. */
async function compile(name, edit) {
  const root = join(folder, name)
  const host = join(root, '__test__', 'host')
  mkdirSync(host, { recursive: true })
  for (const file of readdirSync(HERE).filter((file) => /\.(ts|js)$/.test(file))) cpSync(join(HERE, file), join(host, file))
  for (const file of SWAPPED) writeFileSync(join(host, file), edit(readFileSync(join(HERE, file), 'utf8')))
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }))
  // As npm links a package of the same workspace.
  mkdirSync(join(root, 'node_modules', '@maka'), { recursive: true })
  symlinkSync(REPOSITORY, join(root, 'node_modules', '@maka', 'recall-native'), 'junction')
  symlinkSync(join(REPOSITORY, 'node_modules', '@types'), join(root, 'node_modules', '@types'), 'junction')
  symlinkSync(join(REPOSITORY, 'bench'), join(root, 'bench'), 'junction')
  const { compilerOptions } = JSON.parse(readFileSync(join(HERE, 'tsconfig.json'), 'utf8'))
  const config = { compilerOptions: { ...compilerOptions, noEmit: false }, include: ['*.ts'] }
  writeFileSync(join(host, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', host], { encoding: 'utf8' })
  assert.deepEqual({ status, stdout }, { status: 0, stdout: '' }, `${name} does not compile`)
  const load = (file) => import(pathToFileURL(join(host, file.replace('.ts', '.js'))).href)
  const [tools, modal] = await Promise.all(SWAPPED.map(load))
  return { ...tools, ...modal }
}

/** The callbacks of a host that reads the sample workspace itself. */
function history({ privacy = { incognitoActive: false } } = {}) {
  return {
    getPrivacyContext: async () => privacy,
    listSessions: async () => {
      const db = new DatabaseSync(join(SAMPLE, 'runtime.sqlite'), { readOnly: true })
      const headers = db.prepare('SELECT payload_json FROM session_metadata ORDER BY session_id').all()
      db.close()
      return headers.map(({ payload_json: header }) => JSON.parse(header))
    },
    readMessages: async (sessionId) => {
      const source = openSource({ workspaceRoot: SAMPLE })
      try {
        const session = (await source.sessions()).find(({ id }) => id === sessionId)
        return session === undefined ? null : await source.read(session)
      } finally {
        source.close()
      }
    },
    fetchMaterial: async ({ sourceSessionId, materialId, targetSessionId }) => {
      if (materialId !== 'art_settings_shot') return { ok: false, reason: 'not_found', message: `no ${sourceSessionId}/${materialId}` }
      const ref = { kind: 'session_file', sessionId: targetSessionId, relativePath: `copy_${materialId}` }
      return { ok: true, content: { kind: 'image', mimeType: 'image/png', ref } }
    },
    searchFacts: async ({ terms }) => {
      return terms.includes('模型') ? [{ content: 'token=made-up-secret 默认模型是中号', kind: 'preference', observedAt: 1788401404000 }] : []
    },
  }
}

/** The same host once it says where its workspace is. */
const located = () => ({ ...history(), workspaceRoot: SAMPLE })

const context = (sessionId = 'search-design', turnId = 'turn-search-design-2') => {
  return { sessionId, turnId, abortSignal: new AbortController().signal }
}

async function tool(host, name, input, deps, call = context()) {
  return host.createRecallTools(deps).find((candidate) => candidate.name === name).execute(input, call)
}

/** Asks both hosts, and gives the answer that they agree on. */
async function both(ask) {
  const [expected, answer] = await Promise.all([ask(scanning), ask(native)])
  assert.deepEqual(answer, expected)
  return answer
}

test('only the import line differs', () => {
  for (const file of SWAPPED) {
    const before = readFileSync(join(HERE, file), 'utf8').split('\n')
    const after = readFileSync(join(folder, 'native', '__test__', 'host', file), 'utf8').split('\n')
    const changed = before.map((line, index) => [line, after[index]]).filter(([left, right]) => left !== right)
    assert.equal(after.length, before.length)
    assert.equal(changed.length, 1, file)
    const [[left, right]] = changed
    assert.equal(right, left.replace(OWN, OURS))
    assert.match(right, /^import \{ [\w, ]+ \} from '@maka\/recall-native'$/)
  }
})

const QUESTIONS = [
  { terms: ['模型'] },
  { terms: ['上下文窗口', 'context window'], limit: 2 },
  { terms: ['staging-eu', 'DEPLOY', 'health check'] },
  { terms: ['notify'] },
  { terms: ['not-a-real-token'] },
  { terms: ['keychain'] },
  { terms: ['截图', 'tram 28', 'CAFÉ'] },
  { terms: ['a'], limit: 25 },
  { terms: ['模型'], sessionId: 'memory-leak' },
  { terms: ['模型'], since: Date.parse('2026-09-08'), until: Date.parse('2026-11-04T12:00:00Z') },
  { terms: ['nowhere-to-be-found'] },
]

for (const deps of [history, located]) {
  const how = deps === located ? 'from the workspace' : 'from the callbacks'

  test(`Recall answers the same questions alike ${how}`, async () => {
    for (const question of QUESTIONS) {
      const answer = await both((host) => tool(host, 'Recall', question, deps()))
      assert.equal(answer.kind, 'text', JSON.stringify(question))
    }
    const answer = await both((host) => tool(host, 'Recall', QUESTIONS[0], deps()))
    assert.match(answer.text, /model-choice\/msg-run-model-choice-1-said-2 "Which model for code review · 选模型"/)
    assert.match(answer.text, /unreadable: import-half-done/)
    assert.doesNotMatch(answer.text, /made-up-secret/)
  })

  test(`the turn in flight is not recalled ${how}`, async () => {
    const question = { terms: ['分词'] }
    const inFlight = await both((host) => tool(host, 'Recall', question, deps()))
    assert.match(inFlight.text, /No transcript match for: 分词\./)
    const later = await both((host) => tool(host, 'Recall', question, deps(), context('weekly-report', 'none')))
    assert.match(later.text, /中文没有空格，分词怎么办？/)
  })

  test(`RecallMore shows the same turn ${how}`, async () => {
    const anchor = 'release-1-4/msg-run-release-1-4-1-answered-5'
    const answer = await both((host) => tool(host, 'RecallMore', { anchor, before: 1 }, deps()))
    assert.match(answer.text, /^ {2}tool .+See what changed since the last release\n> assistant .+\n(.+\n)+\(more before, end\)$/)
    const missing = await both((host) => tool(host, 'RecallMore', { anchor: 'release-1-4/nobody' }, deps()))
    assert.equal(missing.kind, 'error')
  })

  test(`RecallMaterial fetches through the host ${how}`, async () => {
    const image = await both((host) => tool(host, 'RecallMaterial', { id: 'context-window/art_settings_shot' }, deps()))
    assert.deepEqual(image, { kind: 'image', mimeType: 'image/png', sessionId: 'search-design', artifactId: 'copy_art_settings_shot' })
    for (const id of ['context-window/art_deploy_list', 'release-1-4/art_deploy_list', 'nobody/art_settings_shot', 'x']) {
      assert.equal((await both((host) => tool(host, 'RecallMaterial', { id }, deps()))).kind, 'error', id)
    }
  })

  test(`the modal lists the same lines ${how}`, async () => {
    for (const query of ['模型', 'release', ' CAFÉ ', 'not-a-real-token', '截图', 'the', '设置']) {
      await both((host) => modal(host, deps(), { source: 'thread', query, limit: 10 }))
    }
    const answer = await both((host) => modal(host, deps(), { source: 'thread', query: '默认模型' }))
    assert.deepEqual(answer.lines[0], {
      heading: '默认模型改成中号 · 任务标题',
      snippet: '默认模型改成中号',
      open: { sessionId: 'default-model' },
    })
    assert.equal(answer.lines.length, 5)
  })
}

test('what is refused is refused alike', async () => {
  const refused = [
    { terms: [] },
    { terms: [' '] },
    { terms: ['x'.repeat(501)] },
    { terms: ['ghp_0123456789abcdefghijklmnopqrstuvwxyz'] },
    { terms: ['a'], since: 5, until: 4 },
    { terms: ['a'], since: -1 },
    { terms: ['a'], sessionId: ' ' },
  ]
  for (const input of refused) assert.equal((await both((host) => tool(host, 'Recall', input, history()))).kind, 'error')
  const hidden = () => history({ privacy: { incognitoActive: true } })
  assert.equal((await both((host) => tool(host, 'Recall', { terms: ['模型'] }, hidden()))).kind, 'error')
  const modalHidden = await both((host) => modal(host, hidden(), { source: 'thread', query: '模型' }))
  assert.equal(modalHidden.reason, 'incognito_active')
  for (const [reason, request] of [['disabled', { source: 'web', query: 'a' }], ['invalid_query', { source: 'thread', query: ' ' }]]) {
    // The texts of these two refusals are each search's own.
    for (const host of [scanning, native]) assert.equal((await modal(host, history(), request)).reason, reason)
  }
})

test('a newer search of the same window aborts the one before', async () => {
  for (const host of [scanning, native]) {
    const handler = handlerOf(host, located())
    const event = { senderId: 1 }
    const first = handler(event, { source: 'thread', query: '模型' })
    const second = handler(event, { source: 'thread', query: '模型' })
    assert.equal((await first).reason, 'aborted')
    assert.equal((await second).ok, true)
  }
})

function handlerOf(host, deps) {
  let handler
  host.registerThreadSearch({ handle: (_channel, listener) => (handler = listener) }, deps)
  return handler
}

function modal(host, deps, request) {
  return handlerOf(host, deps)({ senderId: 1 }, request)
}
