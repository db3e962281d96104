// A disk that is read-only, full, or closed to this user; files that are
// missing: an answer, or a failure that says why, and never a file of ours.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'

import * as addon from '../../index.js'
import { answerOf, freshAnswers } from './ask.mjs'
import { QUESTIONS, workspace } from './changes.mjs'
import { HostProcess } from './host.mjs'
import { Remote } from './remote.mjs'

const POSIX = process.platform !== 'win32'
const IS_ROOT = POSIX && process.getuid() === 0
/** A user without any rights. */
const NOBODY = { uid: 65_534, gid: 65_534 }

/** What is in the way of tests as another user. */
const noUser = (() => {
  if (!IS_ROOT) return 'only root can become another user'
  const { status } = spawnSync(process.execPath, ['-e', ''], NOBODY)
  return status !== 0 && 'the other user cannot start Node here'
})()

/** Every file below `root`, and a hash of what is in it, taken in another process. */
function contentsOf(root) {
  const script = `
    const { createHash } = require('node:crypto')
    const { readFileSync, readdirSync, statSync } = require('node:fs')
    const names = readdirSync(process.argv[1], { recursive: true }).filter((name) => statSync(process.argv[1] + '/' + name).isFile())
    console.log(JSON.stringify(names.sort().map((name) => [name, createHash('sha256').update(readFileSync(process.argv[1] + '/' + name)).digest('hex')])))`
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script, root], { encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  return Object.fromEntries(JSON.parse(stdout))
}

/** Gives `work` a workspace at rest, and its answers. */
async function atRest(work) {
  const { root, remove } = await workspace()
  try {
    const before = await freshAnswers(root, QUESTIONS)
    for (const name of readdirSync(root)) if (/-(wal|shm)$/.test(name)) rmSync(join(root, name))
    await work(root, before)
  } finally {
    addon.release()
    remove()
  }
}

describe('nothing is written', () => {
  test('by any question: the files of a workspace at rest stay as they are, byte by byte', () =>
    atRest(async (root, before) => {
      const contents = contentsOf(root)
      for (const question of QUESTIONS) await answerOf(addon, root, question)
      await addon.warm(root)
      for (const question of QUESTIONS) await answerOf(addon, root, question, { fullScan: true })
      addon.release(root)
      const after = contentsOf(root)
      // SQLite's own, which it needs to read: without a byte of content.
      const empty = createHash('sha256').digest('hex')
      for (const name of ['runtime.sqlite', 'memory.sqlite']) {
        if (after[`${name}-wal`] !== undefined) assert.equal(after[`${name}-wal`], empty)
        delete after[`${name}-wal`]
        delete after[`${name}-shm`]
      }
      assert.deepEqual(after, contents)
      assert.deepEqual(await freshAnswers(root, QUESTIONS), before)
    }))

  const places = {
    'a folder that is not there': (root) => join(root, 'typo'),
    'a folder without a workspace': (root) => (mkdirSync(join(root, 'empty')), join(root, 'empty')),
    'a file': (root) => join(root, 'runtime.sqlite'),
    'a name with a NUL': (root) => `${root}\0`,
    'a very long name': (root) => join(root, 'x'.repeat(5_000)),
    'a database that is no database': (root) => {
      mkdirSync(join(root, 'other'))
      writeFileSync(join(root, 'other', 'runtime.sqlite'), 'text '.repeat(2_000))
      return join(root, 'other')
    },
    'an empty database': (root) => {
      mkdirSync(join(root, 'other'))
      writeFileSync(join(root, 'other', 'runtime.sqlite'), '')
      return join(root, 'other')
    },
    'a folder where the database should be': (root) => {
      mkdirSync(join(root, 'other', 'runtime.sqlite'), { recursive: true })
      return join(root, 'other')
    },
  }
  for (const [name, make] of Object.entries(places)) {
    test(`into ${name}`, () =>
      atRest(async (root) => {
        const place = make(root)
        const cwd = readdirSync('.').sort()
        const contents = contentsOf(root)
        for (const question of QUESTIONS) {
          const answer = await answerOf(addon, place, question)
          assert.equal(answer.ok, false)
          assert.ok(['unavailable', 'unsupported_workspace'].includes(answer.reason), answer.reason)
          assert.notEqual(answer.message, '')
        }
        assert.deepEqual(contentsOf(root), contents)
        assert.deepEqual(readdirSync('.').sort(), cwd)
      }))
  }
})

describe('a user who may not write', { skip: noUser }, () => {
  /** The same for everybody to read. */
  function openToRead(root) {
    for (const name of ['', ...readdirSync(root, { recursive: true })]) chmodSync(join(root, name), name === '' || !/\./.test(name) ? 0o755 : 0o644)
  }

  test('reads a workspace at rest', () =>
    atRest(async (root, before) => {
      openToRead(root)
      const contents = contentsOf(root)
      assert.deepEqual(await freshAnswers(root, QUESTIONS, NOBODY), before)
      assert.deepEqual(contentsOf(root), contents)
    }))

  test('reads a workspace at rest ahead, once', () =>
    atRest(async (root, before) => {
      openToRead(root)
      const reader = new Remote(new URL('ask.mjs', import.meta.url), [], NOBODY)
      const { ok, complete, sessions, sessionsHeld, sessionsLeftOut } = await reader.call('warm', root)
      assert.deepEqual({ ok, complete, sessions }, { ok: true, complete: true, sessions: sessionsHeld + sessionsLeftOut })
      assert.ok(0 < sessionsHeld, `${sessionsHeld}`)
      assert.deepEqual(await reader.call('ask', root, QUESTIONS), before)
      await reader.close()
    }))

  test('reads beside a live host', () =>
    atRest(async (root) => {
      const host = new HostProcess(root)
      await host.change('rename', { sessionId: 'plain', name: 'alpha, live' })
      openToRead(root)
      assert.deepEqual(await freshAnswers(root, QUESTIONS, NOBODY), await freshAnswers(root, QUESTIONS))
      await host.close()
    }))

  test('sees what a host does while it reads at rest, or is told to try again', () =>
    atRest(async (root, before) => {
      openToRead(root)
      const reader = new Remote(new URL('ask.mjs', import.meta.url), [], NOBODY)
      assert.deepEqual(await reader.call('ask', root, QUESTIONS), before)
      const host = new HostProcess(root)
      await host.change('rename', { sessionId: 'plain', name: 'alpha, live' })
      openToRead(root)
      assert.deepEqual(await reader.call('ask', root, QUESTIONS), await freshAnswers(root, QUESTIONS))
      await host.close()
      await reader.close()
    }))

  test('is told when a log has to be recovered first', () =>
    atRest(async (root) => {
      const host = new HostProcess(root)
      await host.change('rename', { sessionId: 'plain', name: 'alpha, unrecovered' })
      host.kill('SIGKILL')
      await host.exited
      rmSync(join(root, 'runtime.sqlite-shm'))
      openToRead(root)
      const contents = contentsOf(root)
      const [answer] = await freshAnswers(root, [['alpha']], NOBODY)
      assert.deepEqual([answer.ok, answer.reason], [false, 'unavailable'])
      assert.match(answer.message, /runtime\.sqlite.*(recovered|opened)/)
      assert.deepEqual(contentsOf(root), contents)
    }))

  test('is told which file is closed to it', () =>
    atRest(async (root) => {
      openToRead(root)
      chmodSync(join(root, 'runtime.sqlite'), 0o600)
      const [answer] = await freshAnswers(root, [['alpha']], NOBODY)
      assert.deepEqual([answer.ok, answer.reason], [false, 'unavailable'])
      assert.match(answer.message, /runtime\.sqlite/)
    }))

  test('gets no facts when they are closed to it, and all the rest', () =>
    atRest(async (root, before) => {
      openToRead(root)
      chmodSync(join(root, 'memory.sqlite'), 0o600)
      const [answer] = await freshAnswers(root, [['alpha']], NOBODY)
      assert.deepEqual(answer.passages, before[0].passages)
      assert.equal(answer.coverage.factsStatus, 'unavailable')
    }))

  test('is told that a folder is closed to it', () =>
    atRest(async (root) => {
      openToRead(root)
      chmodSync(root, 0o700)
      const [answer] = await freshAnswers(root, [['alpha']], NOBODY)
      assert.deepEqual([answer.ok, answer.reason], [false, 'unavailable'])
    }))

  test('gets no material whose file is closed to it', () =>
    atRest(async (root, before) => {
      openToRead(root)
      const [file] = readdirSync(join(root, 'artifacts', 'plain'))
      chmodSync(join(root, 'artifacts', 'plain', file), 0o600)
      const material = QUESTIONS.findIndex(({ operation }) => operation === 'recallMaterial')
      const answers = await freshAnswers(root, QUESTIONS, NOBODY)
      assert.deepEqual([answers[material].ok, answers[material].reason], [false, 'not_found'])
      assert.deepEqual(answers.toSpliced(material, 1), before.toSpliced(material, 1))
    }))
})

describe('a disk that is full', { skip: !POSIX && 'there are no such limits' }, () => {
  const answersWithoutRoom = (root) => freshAnswers(root, QUESTIONS, { noRoom: true })

  test('at rest: an answer, or the reason; nothing is damaged', () =>
    atRest(async (root, before) => {
      const contents = contentsOf(root)
      for (const [index, answer] of (await answersWithoutRoom(root)).entries()) {
        if (answer.ok === false) {
          assert.equal(answer.reason, 'unavailable')
          assert.match(answer.message, /runtime\.sqlite.*disk/)
        } else assert.deepEqual(answer, before[index])
      }
      const after = contentsOf(root)
      for (const [name, hash] of Object.entries(contents)) assert.equal(after[name], hash)
      assert.deepEqual(await freshAnswers(root, QUESTIONS), before)
    }))

  test('beside a live host the answers are as ever', () =>
    atRest(async (root) => {
      const host = new HostProcess(root)
      await host.change('rename', { sessionId: 'plain', name: 'alpha, live' })
      await host.change('updateFact', { itemId: 'fact-a', content: 'alpha is live', keys: ['alpha'] })
      assert.deepEqual(await answersWithoutRoom(root), await freshAnswers(root, QUESTIONS))
      await host.close()
    }))

  test('a host that finds no room for its commit: what was committed before is answered', { skip: !IS_ROOT && 'only root can mount' }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'recall-'))
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder], { encoding: 'utf8' })
    if (mounted.status !== 0) {
      rmSync(folder, { recursive: true })
      t.skip('nothing can be mounted here')
      return
    }
    const host = new HostProcess(folder)
    try {
      await host.change('createSession', { sessionId: 's', name: 'alpha' })
      await host.change('appendTurn', { sessionId: 's', user: 'alpha', assistant: 'beta' })
      const before = await freshAnswers(folder, [['alpha']])
      const big = { sessionId: 's', user: 'alpha '.repeat(500_000), assistant: '' }
      await assert.rejects(host.change('appendTurn', big), /full|disk/)
      assert.deepEqual([await answerOf(addon, folder, ['alpha'])], before)
      assert.deepEqual(await freshAnswers(folder, [['alpha']]), before)
      await host.change('appendTurn', { sessionId: 's', user: 'alpha again', assistant: 'x' })
      assert.deepEqual([await answerOf(addon, folder, ['alpha'])], await freshAnswers(folder, [['alpha']]))
    } finally {
      addon.release(folder)
      await host.close()
      spawnSync('umount', [folder])
      rmSync(folder, { recursive: true })
    }
  })
})

test('a material whose file is gone is not found, and its message stays', () =>
  atRest(async (root, before) => {
    rmSync(join(root, 'artifacts'), { recursive: true })
    const material = QUESTIONS.findIndex(({ operation }) => operation === 'recallMaterial')
    for (const [index, question] of QUESTIONS.entries()) {
      const answer = await answerOf(addon, root, question)
      if (index === material) assert.deepEqual([answer.ok, answer.reason], [false, 'not_found'])
      else assert.deepEqual(answer, before[index])
    }
  }))
