// A small workspace with a Session of every kind, and everything that may
// happen to it.

import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { LiveHost } from './host.mjs'

const text = (words) => ({ kind: 'text', text: words })

/** What every workspace of the tests of freshness begins with. */
async function furnish(root, generation) {
  const host = new LiveHost(root, { generation, name: 'base' })
  const change = (name, args) => host.change(name, args)
  await change('createSession', { sessionId: 'plain', name: 'Plain alpha' })
  const notes = await change('addArtifact', { sessionId: 'plain', artifactId: 'art_notes', name: 'notes.txt', text: 'the alpha notes' })
  const tool = { name: 'Read', intent: 'look for alpha', result: text('alpha in a file') }
  await change('appendTurn', { sessionId: 'plain', user: 'where is alpha?', assistant: 'alpha is here', tool, attachments: [notes] })
  await change('appendTurn', { sessionId: 'plain', user: 'and beta?', assistant: 'beta is next to alpha' })

  await change('createSession', { sessionId: 'live', name: 'Live' })
  await change('appendTurn', { sessionId: 'live', user: 'begin', assistant: 'begun, alpha' })
  await change('startTurn', { sessionId: 'live', user: 'go on' })
  await change('delta', { sessionId: 'live', text: 'this is arriving, alp' })

  await change('createSession', { sessionId: 'waiting', name: 'Waiting' })
  await change('appendTurn', { sessionId: 'waiting', user: 'alpha?', assistant: 'alpha!' })
  await change('startTurn', { sessionId: 'waiting', user: 'may I alpha?' })

  await change('createSession', { sessionId: 'old', name: 'Old', ledger: false })
  await change('appendOldTurn', { sessionId: 'old', messageId: 'old-question', user: 'old alpha', assistant: 'old beta' })
  await change('appendOldTurn', { sessionId: 'old', user: 'long alpha', assistant: `${'長い '.repeat(20_000)} alpha` })
  // Turns that the ledger has got already: the conversion puts the old ones before them.
  await change('appendTurn', { sessionId: 'old', user: 'new alpha', assistant: 'new beta' })

  await change('createSession', { sessionId: 'gone', name: 'Gone' })
  await change('appendTurn', { sessionId: 'gone', user: 'gone alpha', assistant: 'gone' })
  await change('remove', { sessionId: 'gone' })

  await change('remember', { itemId: 'fact-a', content: 'alpha is a letter', keys: ['alpha'] })
  await change('remember', { itemId: 'fact-b', content: 'beta is for dev', keys: ['beta'], scope: '/home/dev' })
  await host.close()
}

/** Terms, and requests of the other operations, that see all of it. */
export const QUESTIONS = [
  ['alpha'],
  { request: { terms: ['alpha', 'beta', 'zzzznotfound'], limit: 25 }, options: { explain: true, activeSessionId: 'plain' } },
  { request: { terms: ['alpha'], limit: 25 }, options: { includeArchived: true, activeSessionId: 'live' } },
  { operation: 'recallMore', request: { anchor: 'old/old-question' } },
  { operation: 'recallMaterial', request: { id: 'plain/art_notes' }, options: { activeSessionId: 'plain' } },
  { operation: 'searchThreads', request: { source: 'thread', query: 'alpha', limit: 50 }, options: { maxResults: 50 } },
]

/** The rowid of an answer that others follow. */
const FIRST_ANSWER = `
  SELECT min(rowid) FROM runtime_events
  WHERE session_id = 'plain' AND event_kind = 'text' AND payload_json LIKE '%alpha is here%'
`

/**
 * What may happen: `steps` are made after `given`, and `alters` says whether an
 * answer is another one then.
 */
export const CHANGES = {
  'a turn is appended': { steps: [['appendTurn', { sessionId: 'plain', user: 'more alpha', assistant: 'yes' }]] },
  'a turn begins': { steps: [['startTurn', { sessionId: 'plain', user: 'alpha again' }]] },
  'a turn ends': { steps: [['endTurn', { sessionId: 'waiting' }]], alters: false },
  'a turn ends, and the order of runs with it': {
    given: [['startTurn', { sessionId: 'plain', user: 'late alpha' }], ['endTurn', { sessionId: 'waiting' }], ['startTurn', { sessionId: 'waiting', user: 'later alpha' }]],
    steps: [['endTurn', { sessionId: 'plain' }], ['endTurn', { sessionId: 'waiting' }], ['appendTurn', { sessionId: 'waiting', user: 'last alpha', assistant: '.' }]],
  },
  'arriving text begins': { steps: [['delta', { sessionId: 'waiting', text: 'alpha arrives' }]] },
  'a segment of arriving text grows in place': { steps: [['delta', { sessionId: 'live', text: 'ha, they say' }]] },
  'arriving text goes on in another segment': { steps: [['delta', { sessionId: 'live', text: 'ha, they say', segmentBytes: 8 }]] },
  'arriving text settles': { given: [['delta', { sessionId: 'live', text: 'ha' }]], steps: [['settle', { sessionId: 'live' }]] },
  'arriving text settles, its turn ends': {
    given: [['delta', { sessionId: 'live', text: 'ha' }]],
    steps: [['settle', { sessionId: 'live' }], ['endTurn', { sessionId: 'live' }], ['appendTurn', { sessionId: 'live', user: 'alpha', assistant: '' }]],
  },
  'a permission is accepted, its outcome is missing': { steps: [['acceptPermission', { sessionId: 'waiting' }]] },
  'the outcome of a permission is recorded': {
    given: [['acceptPermission', { sessionId: 'waiting' }]],
    steps: [['recordOutcome', ({ acceptPermission }) => ({ requestId: acceptPermission })]],
  },
  'a Session is made': { steps: [['createSession', { sessionId: 'made', name: 'alpha, made' }]] },
  'a Session is renamed': { steps: [['rename', { sessionId: 'plain', name: 'Alpha has another name' }]] },
  'a Session is archived': { steps: [['archive', { sessionId: 'plain' }]] },
  'a Session is taken out of the archive': {
    given: [['archive', { sessionId: 'plain' }]],
    steps: [['archive', { sessionId: 'plain', isArchived: false }]],
  },
  'a Session was active': { steps: [['touch', { sessionId: 'plain' }]] },
  'a Session is removed': { steps: [['remove', { sessionId: 'plain' }]] },
  'a removed Session is purged': { steps: [['purge', { sessionId: 'gone' }]], alters: false },
  'a removed Session comes back with other events': {
    steps: [['purge', { sessionId: 'gone' }], ['createSession', { sessionId: 'gone', name: 'Back' }], ['appendTurn', { sessionId: 'gone', user: 'back, alpha', assistant: 'x' }]],
  },
  'the newest events are purged, others take their place': {
    given: [['createSession', { sessionId: 'last', name: 'Last' }], ['appendTurn', { sessionId: 'last', user: 'last alpha', assistant: 'x' }]],
    steps: [['remove', { sessionId: 'last' }], ['purge', { sessionId: 'last' }], ['appendTurn', { sessionId: 'plain', user: 'first alpha', assistant: 'x' }]],
  },
  'a revision takes the place of its Session': { steps: [['revise', { sessionId: 'plain', revisionId: 'plain-2', name: 'Second alpha' }]] },
  'an old Session grows': { steps: [['appendOldTurn', { sessionId: 'old', user: 'one more alpha', assistant: 'x' }]] },
  'an old Session is converted: its events': { steps: [['convert', { sessionId: 'old' }]] },
  'an old Session is converted: its order': {
    given: [['convert', { sessionId: 'old' }]],
    steps: [['renumber', { sessionId: 'old' }]],
    alters: false,
  },
  'an old Session is converted: its header': {
    given: [['convert', { sessionId: 'old' }], ['renumber', { sessionId: 'old' }]],
    steps: [['markConverted', { sessionId: 'old' }]],
  },
  'a converted Session gets its order late': {
    given: [['convert', { sessionId: 'old' }], ['markConverted', { sessionId: 'old' }]],
    steps: [['renumber', { sessionId: 'old' }]],
  },
  'an artifact is added': {
    steps: [
      ['addArtifact', { sessionId: 'plain', artifactId: 'art_more', name: 'alpha.txt', text: 'x' }],
      ['startTurn', ({ addArtifact }) => ({ sessionId: 'plain', user: 'see', attachments: [addArtifact] })],
    ],
  },
  'an artifact is removed': { steps: [['removeArtifact', { sessionId: 'plain', artifactId: 'art_notes' }]] },
  'a fact is added': { steps: [['remember', { itemId: 'fact-c', content: 'alpha has three legs', keys: ['legs'] }]] },
  'a fact is changed': { steps: [['updateFact', { itemId: 'fact-a', content: 'alpha was a letter', keys: ['letter'] }]] },
  'a fact is archived': { steps: [['archiveFact', { itemId: 'fact-b' }]] },
  'an event in the middle is deleted by hand': { steps: [['exec', { sql: `DELETE FROM runtime_events WHERE rowid = (${FIRST_ANSWER})` }]] },
  'an event in the middle is deleted by hand, another one is appended': {
    steps: [
      ['exec', { sql: `DELETE FROM runtime_events WHERE rowid = (${FIRST_ANSWER})` }],
      ['appendTurn', { sessionId: 'plain', user: 'after alpha', assistant: 'x' }],
    ],
  },
  'the log is cut': { steps: [['checkpoint']], alters: false },
  'a commit, and the log is cut': { steps: [['startTurn', { sessionId: 'plain', user: 'alpha, checkpointed' }], ['checkpoint']] },
  'the file is written anew': { steps: [['vacuum']], alters: false },
  'a purge, and the file is written anew': {
    steps: [['purge', { sessionId: 'gone' }], ['vacuum'], ['startTurn', { sessionId: 'plain', user: 'alpha, vacuumed' }]],
  },
  'the table of events is written anew': {
    given: [['purge', { sessionId: 'plain' }], ['purge', { sessionId: 'gone' }], ['appendTurn', { sessionId: 'plain', user: 'alpha, late', assistant: 'beta' }]],
    steps: [['rebuild']],
    alters: false,
  },
  'the host starts again': { steps: [['stop'], ['start'], ['startTurn', { sessionId: 'plain', user: 'alpha, restarted' }]] },
  'a backup takes the place of the file': {
    given: [['backup', ({ root }) => ({ to: `${root}/backup` })], ['appendTurn', { sessionId: 'plain', user: 'lost alpha', assistant: 'x' }]],
    steps: [['restoreByRename', ({ root }) => ({ from: `${root}/backup` })]],
  },
  'a backup takes its place, and the host goes on': {
    given: [['backup', ({ root }) => ({ to: `${root}/backup` })], ['appendTurn', { sessionId: 'plain', user: 'lost alpha', assistant: 'x' }]],
    steps: [['restoreByRename', ({ root }) => ({ from: `${root}/backup` })], ['appendTurn', { sessionId: 'plain', user: 'kept alpha', assistant: 'x' }]],
  },
  'the bytes of a backup are written over the file': {
    given: [['backup', ({ root }) => ({ to: `${root}/backup` })], ['appendTurn', { sessionId: 'plain', user: 'lost alpha', assistant: 'x' }]],
    steps: [['restoreInPlace', ({ root }) => ({ from: `${root}/backup` })]],
    onlyElsewhere: true,
  },
  'the bytes of a backup are written over it, and the host goes on': {
    given: [['backup', ({ root }) => ({ to: `${root}/backup` })], ['appendTurn', { sessionId: 'plain', user: 'lost alpha', assistant: 'x' }]],
    steps: [['restoreInPlace', ({ root }) => ({ from: `${root}/backup` })], ['appendTurn', { sessionId: 'plain', user: 'kept alpha', assistant: 'x' }]],
    onlyElsewhere: true,
  },
}

/** Makes `steps` at a host; a step may need what the ones before it gave. */
export async function make(host, root, steps, given = { root }) {
  for (const [name, args] of steps) {
    const told = typeof args === 'function' ? args(given) : args
    given[name] = name === 'exec' ? await host.exec(told.sql) : await host.change(name, told)
  }
  return given
}

const templates = new Map()

/** A workspace of its own, at rest: `{root, remove}`. */
export async function workspace(generation = 'openings') {
  if (!templates.has(generation)) {
    const root = mkdtempSync(join(tmpdir(), 'recall-template-'))
    process.once('exit', () => rmSync(root, { recursive: true, force: true }))
    templates.set(generation, furnish(root, generation).then(() => root))
  }
  const template = await templates.get(generation)
  const root = mkdtempSync(join(tmpdir(), 'recall-'))
  cpSync(template, root, { recursive: true })
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) }
}
