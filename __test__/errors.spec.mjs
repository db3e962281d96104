// What is refused, what rejects, and that nothing is thrown.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import * as addon from '../index.js'
import { casesOf, copyOf, withoutNarrowing } from './golden.mjs'

const ADDON = new URL('../index.js', import.meta.url).href
const allowed = { getPrivacyContext: () => ({ incognitoActive: false }) }
const thrower = () => {
  throw new Error('mine')
}
const hostile = new Proxy(() => {}, { get: thrower, ownKeys: thrower, has: thrower })

const PROMISES = [
  'recall', 'recallMore', 'recallMaterial', 'searchThreads',
  'runRecall', 'expandRecallPassage', 'fetchRecallMaterial', 'runThreadSearch',
]

let copy
before(() => (copy = copyOf('tiny-openings')))
after(() => copy.remove())
const workspace = () => ({ ...allowed, workspaceRoot: copy.root })

describe('a request of any shape is data', () => {
  const cycle = { terms: [] }
  cycle.terms.push(cycle)
  const requests = {
    undefined, null: null, number: 5, bigint: 5n, symbol: Symbol('x'), function: () => {}, array: [],
    'no terms': {}, 'a term that is no string': { terms: [5n] }, cycle, hostile,
    'a getter that throws': { get terms() { return thrower() } },
    'a list without end': { terms: new Array(2 ** 32 - 1) },
    'a text of 64 MiB': { terms: ['x'.repeat(2 ** 26)] },
    NaN: { terms: ['x'], limit: NaN }, infinite: { terms: ['x'], since: -Infinity },
    'a bigint limit': { terms: ['x'], limit: 5n }, 'a symbol limit': { terms: ['x'], limit: Symbol('5') },
  }
  for (const [name, request] of Object.entries(requests)) {
    test(name, async () => {
      const answer = await addon.recall(request, workspace())
      assert.equal(answer.ok, false)
      assert.equal(answer.reason, 'invalid_query')
      assert.match(answer.message, /Recall/)
    })
  }

  test('what no request has is not even read', async () => {
    const request = { terms: ['zzzznotfound'], big: 5n, get bad() { return thrower() } }
    request.cycle = request
    const answer = await addon.recall(request, workspace())
    assert.equal(answer.ok, true)
    assert.deepEqual(answer.passages, [])
  })
})

describe('nothing throws, whatever the arguments', () => {
  for (const name of PROMISES) {
    for (const [what, value] of Object.entries({ undefined, null: null, text: 'x', number: 1, hostile })) {
      test(`${name}: ${what}`, async () => {
        const answer = await addon[name](value, value, value).catch((error) => error)
        if (answer instanceof Error) assert.equal(answer.code, 'RECALL_NO_SOURCE')
        else assert.equal(answer.ok, false)
      })
    }
    test(`${name}: no argument`, async () => {
      const answer = await addon[name]().catch((error) => error)
      if (answer instanceof Error) assert.equal(answer.code, 'RECALL_NO_SOURCE')
      else assert.equal(answer.ok, false)
    })
  }
})

test('release lets go of all, of one workspace, and of nothing for what is no path', async () => {
  const { root } = copy
  const held = () => addon.stats().workspaces
  addon.release()
  assert.equal((await addon.warm(root)).ok, true)
  assert.equal(held(), 1)
  for (const odd of [42, 5n, true, {}, [root], () => root, Symbol('x'), hostile, '', 'elsewhere']) addon.release(odd)
  assert.equal(held(), 1)
  addon.release(root)
  assert.equal(held(), 0)
  assert.equal((await addon.warm(root)).ok, true)
  addon.release(undefined)
  assert.equal(held(), 0)
})

test('neither a root nor callbacks is a bug of the caller', async () => {
  const expected = { name: 'RecallError', code: 'RECALL_NO_SOURCE' }
  const halves = [
    { listSessions: () => [] }, { readMessages: () => [] }, { workspaceRoot: 5 }, { workspaceRoot: '' },
  ]
  await Promise.all(
    [{}, ...halves].map((deps) =>
      assert.rejects(addon.recall({ terms: ['x'] }, { ...allowed, ...deps }), expected),
    ),
  )
  await addon.recall({ terms: ['x'] }, allowed).catch((error) => assert.ok(error instanceof Error))
})

test('privacy that cannot be verified refuses', async () => {
  const source = { listSessions: () => [], readMessages: () => [] }
  const contexts = {
    absent: undefined,
    'no function': { incognitoActive: false },
    throws: thrower,
    rejects: async () => thrower(),
    nothing: () => undefined,
    array: () => [false],
    text: () => 'x',
    cycle: () => {
      const context = {}
      context.context = context
      return context
    },
    hostile: () => hostile,
    'a text for a boolean': () => ({ incognitoActive: 'false' }),
  }
  for (const [name, getPrivacyContext] of Object.entries(contexts)) {
    const answer = await addon.recall({ terms: ['x'] }, { ...source, getPrivacyContext })
    assert.deepEqual(
      { name, ...answer },
      {
        name,
        ok: false,
        reason: 'incognito_active',
        message: 'Recall is unavailable because workspace privacy state could not be verified.',
      },
    )
  }
})

test('options of the wrong type count as absent', async () => {
  const golden = casesOf('tiny-openings').find(({ op, expected }) => op === 'recall' && expected.ok)
  const ask = (options) => addon.recall(golden.request, workspace(), options)
  const expected = withoutNarrowing(await ask())
  const wrong = {
    activeSessionId: 5, excludeTurnIds: 5, includeArchived: 'yes', maxSessions: 'many',
    explain: 1, fullScan: 'no', abortSignal: {},
  }
  assert.deepEqual(withoutNarrowing(await ask(wrong)), expected)
  for (const maxSessions of [0, -1, NaN, Infinity, 5n]) {
    assert.deepEqual(withoutNarrowing(await ask({ maxSessions })), expected)
  }
  assert.deepEqual(withoutNarrowing(await ask(hostile)), expected)
  const endless = { *[Symbol.iterator]() { for (;;) yield 'turn' } }
  assert.deepEqual(withoutNarrowing(await ask({ excludeTurnIds: endless })), expected)
  const broken = { *[Symbol.iterator]() { yield 'turn'; thrower() } }
  assert.deepEqual(withoutNarrowing(await ask({ excludeTurnIds: broken })), expected)
})

describe('a root that cannot be read is unavailable, and stays as it is', () => {
  let folder
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'recall-'))
    writeFileSync(join(folder, 'file'), 'x')
    for (const name of ['empty', 'zero', 'text', 'folder', 'closed']) mkdirSync(join(folder, name))
    writeFileSync(join(folder, 'zero', 'runtime.sqlite'), '')
    writeFileSync(join(folder, 'text', 'runtime.sqlite'), 'this is no database, '.repeat(1000))
    mkdirSync(join(folder, 'folder', 'runtime.sqlite'))
    writeFileSync(join(folder, 'closed', 'runtime.sqlite'), 'x')
    chmodSync(join(folder, 'closed', 'runtime.sqlite'), 0)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const reasons = {
    missing: 'unavailable', file: 'unavailable', empty: 'unavailable', text: 'unavailable',
    folder: 'unavailable', zero: 'unsupported_workspace',
  }
  for (const [name, reason] of Object.entries(reasons)) {
    test(name, async () => {
      const listed = readdirSync(folder, { recursive: true })
      const deps = { ...allowed, workspaceRoot: join(folder, name) }
      const answer = await addon.recall({ terms: ['x'] }, deps)
      assert.equal(answer.ok, false)
      assert.equal(answer.reason, reason)
      assert.match(answer.message, new RegExp(name))
      assert.deepEqual(readdirSync(folder, { recursive: true }), listed)
    })
  }
  test('a root that no path can be', async () => {
    for (const workspaceRoot of ['a\0b', '\ud83d']) {
      const answer = await addon.recall({ terms: ['x'] }, { ...allowed, workspaceRoot })
      assert.equal(answer.reason, 'unavailable')
    }
  })
  test('the callbacks stand in for it', async () => {
    const deps = {
      ...allowed,
      workspaceRoot: join(folder, 'missing'),
      listSessions: () => [{ id: 's', name: 'S' }],
      readMessages: () => [{ type: 'user', id: 'm', ts: 1, text: 'the needle' }],
    }
    const answer = await addon.recall({ terms: ['needle'] }, deps)
    assert.deepEqual(answer.passages.map(({ anchor }) => anchor), ['s/m'])
  })
})

describe('without a SQLite to borrow', () => {
  const run = (script, ...flags) => {
    const source = `import * as addon from ${JSON.stringify(ADDON)}
      const allowed = { getPrivacyContext: () => ({ incognitoActive: false }) }
      const root = ${JSON.stringify(copy.root)}
      ${script}`
    const child = spawnSync(process.execPath, ['--no-warnings', ...flags, '--input-type=module', '-e', source], { encoding: 'utf8' })
    assert.equal(child.status, 0, child.stderr)
    return JSON.parse(child.stdout)
  }
  const broken = {
    'no getBuiltinModule': 'process.getBuiltinModule = undefined',
    'no node:sqlite': `const get = process.getBuiltinModule
      process.getBuiltinModule = (name) => (name === 'node:sqlite' ? undefined : get(name))`,
  }
  for (const [name, breakIt] of Object.entries(broken)) {
    test(`${name}: a workspace is unavailable, and says why`, () => {
      const answer = run(`${breakIt}
        const deps = { ...allowed, workspaceRoot: root }
        console.log(JSON.stringify(await addon.recall({ terms: ['x'] }, deps)))`)
      assert.equal(answer.reason, 'unavailable')
      assert.match(answer.message, /lends no SQLite .*node:sqlite/)
    })
    test(`${name}: reading ahead says it in the same words`, () => {
      const [recalled, warmed] = run(`${breakIt}
        const deps = { ...allowed, workspaceRoot: root }
        console.log(JSON.stringify([await addon.recall({ terms: ['x'] }, deps), await addon.warm(root)]))`)
      assert.deepEqual(warmed, recalled)
    })
    test(`${name}: the request is checked first`, () => {
      const answer = run(`${breakIt}
        console.log(JSON.stringify(await addon.recall({}, { ...allowed, workspaceRoot: root })))`)
      assert.equal(answer.reason, 'invalid_query')
    })
    test(`${name}: callbacks need none`, () => {
      const answer = run(`${breakIt}
        const deps = {
          ...allowed, workspaceRoot: root,
          listSessions: () => [{ id: 's', name: 'S' }],
          readMessages: () => [{ type: 'user', id: 'm', ts: 1, text: 'the needle' }],
        }
        console.log(JSON.stringify(await addon.recall({ terms: ['needle'] }, deps)))`)
      assert.deepEqual(answer.passages.map(({ anchor }) => anchor), ['s/m'])
    })
  }
  test('a process without permission to load extensions', () => {
    const answer = run(
      `const deps = { ...allowed, workspaceRoot: root }
       console.log(JSON.stringify(await addon.recall({ terms: ['x'] }, deps)))`,
      '--permission', '--allow-addons', '--allow-fs-read=*',
    )
    assert.equal(answer.reason, 'unavailable')
    assert.match(answer.message, /lends no SQLite /)
  })
})

test('the addon links no SQLite of its own', { skip: process.platform !== 'linux' }, async () => {
  const folder = new URL('..', import.meta.url).pathname
  const [binary] = readdirSync(folder).filter((name) => name.endsWith('.node'))
  const libraries = execFileSync('ldd', [join(folder, binary)], { encoding: 'utf8' })
  assert.match(libraries, /libc\.so/)
  assert.doesNotMatch(libraries, /sqlite/)
})
