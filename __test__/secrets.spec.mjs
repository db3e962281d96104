// Secrets on the public interface: no answer, no error and no line of the
// command line holds a part of one, wherever it was planted.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'

import * as addon from '../index.js'
import { LiveHost } from './safety/host.mjs'
import { Random } from './safety/random.mjs'

const SCRIPT = fileURLToPath(new URL('../bin/recall.js', import.meta.url))
/** Bytes of a secret that may stand nowhere. */
const PART = 6

const LETTERS = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789'
const random = new Random(7)

/** Letters that nothing else holds. */
const letters = (length) => Array.from({ length }, () => LETTERS[random.below(LETTERS.length)]).join('')

/** How the rules know a secret: what stands before it, its own start, what stands behind it. */
const KINDS = {
  'user info': ['https://deploy:', '', '@git.example/repo'],
  'query of a URL': ['https://a.example/cb?access_token=', '', '&page=2'],
  'quoted key': ['{"clientSecret": "', '', '", unquoted}'],
  header: ['Authorization: Basic ', '', '=='],
  bearer: ['it sent Bearer ', '', ''],
  'aws option': ["aws s3 ls --secret-access-key '", '', "'"],
  'aws environment': ['export AWS_SECRET_ACCESS_KEY=', '', ''],
  assignment: ['db_password = ', '', ''],
  'sk-': ['', 'sk-ant-', ''],
  google: ['', 'AIza', ''],
  github: ['', 'ghp_', ''],
  slack: ['', 'xoxb-', ''],
}

/** Every secret that was planted, and the words that find what hides one. */
const secrets = []
const words = []
let root, host

function secretText(kind) {
  const [start, prefix, end] = KINDS[kind]
  const value = prefix + letters(24)
  secrets.push(value)
  return `${start}${value}${end}`
}

function word() {
  words.push(`word${letters(10)}`)
  return words.at(-1)
}

before(async () => {
  root = mkdtempSync(join(tmpdir(), 'recall-secrets-'))
  host = new LiveHost(root, { generation: 'openings' })
  for (const [index, kind] of Object.keys(KINDS).entries()) {
    const sessionId = `s${index}`
    await host.change('createSession', { sessionId, name: `title ${secretText(kind)} end` })
    const upload = { sessionId, artifactId: `att_${index}`, name: 'note.txt', text: `material ${secretText(kind)} end` }
    const attachment = await host.change('addArtifact', upload)
    const hidden = secretText(kind)
    await host.change('appendTurn', {
      sessionId,
      user: `${word()} ${secretText(kind)} end`,
      attachments: [{ ...attachment, name: `name ${secretText(kind)} end.txt` }],
      assistant: `${'filler '.repeat(560)}${secretText(kind)} ${word()} ${'filler '.repeat(560)}`,
      tool: {
        name: `Bash ${secretText(kind)}`,
        intent: `${word()} ${secretText(kind)} end`,
        result: { kind: 'json', value: { note: `${word()} ${hidden} end`, apiKey: [hidden, { deep: hidden }], [hidden]: 1 } },
      },
    })
    await host.change('remember', { itemId: `fact-${index}`, content: `${word()} ${secretText(kind)} end`, keys: [secretText(kind)] })
  }
})

after(async () => {
  addon.release(root)
  await host.close()
  rmSync(root, { recursive: true, force: true })
})

function assertClean(output, planted = secrets) {
  const lower = output.toLowerCase()
  for (const secret of planted.map((value) => value.toLowerCase())) {
    for (let at = 0; at + PART <= secret.length; at += 1) {
      const found = lower.indexOf(secret.slice(at, at + PART))
      assert.equal(found, -1, `${secret.slice(at, at + PART)} of ${secret} in ${output.slice(Math.max(0, found - 80), found + 40)}`)
    }
  }
}

const deps = () => ({ workspaceRoot: root, getPrivacyContext: () => ({ incognitoActive: false }) })

function run(...argv) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, '--root', root, ...argv], { encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

test('answers of the interface', async () => {
  for (const one of words) {
    const answer = await addon.recall({ terms: [one], limit: 25 }, deps(), { explain: true })
    assert.equal(answer.passages.length + answer.facts.length, 1, one)
    assertClean(JSON.stringify(answer))
    const threads = await addon.searchThreads({ source: 'thread', query: one }, deps(), { maxResults: 40 })
    assertClean(JSON.stringify(threads))
    for (const { anchor } of answer.passages) {
      assertClean(JSON.stringify(await addon.recallMore({ anchor }, deps())))
    }
  }
  const titles = await addon.searchThreads({ source: 'thread', query: 'title', limit: 40 }, deps(), { maxResults: 40 })
  assert.ok(Object.keys(KINDS).length <= titles.length)
  assertClean(JSON.stringify(titles))
})

test('texts of materials', async () => {
  for (const index of Object.keys(KINDS).keys()) {
    const sessionId = `s${index}`
    const material = await addon.recallMaterial({ sessionId, materialId: `att_${index}` }, deps(), { activeSessionId: sessionId })
    assert.match(material.content.text, /^material .*\[redacted\]/)
    assertClean(JSON.stringify(material))
  }
})

test('no beginning of a secret is found', async () => {
  for (const secret of secrets) {
    for (const length of [5, 8, 14]) {
      const term = secret.slice(0, length)
      const answer = await addon.recall({ terms: [term] }, deps())
      if (answer.ok) assert.deepEqual([answer.passages, answer.facts], [[], []], term)
      else assert.equal(answer.reason, 'invalid_query')
      assert.deepEqual(await addon.searchThreads({ source: 'thread', query: term }, deps()), [])
    }
  }
})

test('what the command line prints', () => {
  const one = words[0]
  for (const output of [
    run(...words.slice(0, 8)).output,
    run('--json', '--explain', ...words.slice(8, 16)).output,
    run('threads', 'title', '--limit', '40').output,
    run('threads', one, '--json').output,
    run('material', 's0/att_0').output,
  ]) {
    assert.match(output, /\[redacted\]/)
    assertClean(output)
  }
})

test('a term that is a secret is refused, and nobody repeats it', async () => {
  const term = `token=${letters(20)}`
  const answer = await addon.recall({ terms: [term] }, deps())
  assert.deepEqual(answer, {
    ok: false,
    reason: 'invalid_query',
    message: 'A recall term contains credential material and cannot be searched.',
  })
  const { status, output } = run(term)
  assert.equal(status, 2)
  assertClean(output, [term.slice('token='.length)])
})

test('what a host says of its own failures', async () => {
  const value = letters(24)
  const failing = () => Promise.reject(new Error(`cannot (token=${value})`))
  const source = { listSessions: failing, readMessages: failing, getPrivacyContext: deps().getPrivacyContext }
  const one = { id: 's0', name: 'one', lastMessageAt: 1 }
  const answers = [
    await addon.recall({ terms: ['x'] }, source),
    await addon.recall({ terms: ['x'] }, { ...source, listSessions: () => [one], searchFacts: failing, listCandidateSessions: failing }),
    await addon.recall({ terms: ['x'] }, { ...deps(), getPrivacyContext: failing }),
    await addon.searchThreads({ source: 'thread', query: 'x' }, source),
    await addon.recallMore({ anchor: 's0/x' }, { ...source, listSessions: () => [one] }),
    await addon.recallMaterial({ id: 's0/att_0' }, { ...deps(), fetchMaterial: failing }, { activeSessionId: 's1' }),
  ]
  assertClean(JSON.stringify(answers), [value])
  assert.equal(answers[0].ok, false)
  assert.match(answers[0].message, /token=\[redacted\]/)
})
