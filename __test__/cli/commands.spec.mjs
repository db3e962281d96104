import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { parseArguments } from '../../bin/arguments.js'
import { runCommand } from '../../bin/commands.js'

const ESC = '\u001b'
const AT = Date.parse('2026-09-03T02:10:00Z')
const PASSAGE = {
  sessionId: 's',
  sessionTitle: `标题${ESC}[2J`,
  turnId: 't',
  anchor: "s/it's",
  anchorMessageId: "it's",
  sequence: 3,
  messages: [
    { messageId: 'm0', role: 'user', matchKind: 'user_message', text: 'before', timestamp: AT, isAnchor: false },
    {
      messageId: "it's",
      role: 'tool',
      matchKind: 'tool_result',
      text: `the ${ESC}[31m模型${ESC}[0m`,
      timestamp: AT,
      isAnchor: true,
      matches: [{ term: '模型', start: 9, end: 11 }],
      materials: [{ name: 'a.png', kind: 'image', mimeType: 'image/png', bytes: 2048, sourceSessionId: 's', materialId: 'art_1' }],
    },
  ],
  matchedTerms: ['模型'],
  score: 1.25,
  hasMoreBefore: false,
  hasMoreAfter: true,
  explain: { n: 9, avgdl: 12.345678, terms: [{ term: '模型', tf: 1, df: 2, idf: 1.5, length: 6, weight: 0.5, contribution: 1.25 }] },
}
const ENVELOPE = {
  ok: true,
  facts: [{ content: 'a fact', kind: 'note', observedAt: AT }],
  passages: [PASSAGE],
  materials: [{ name: 'b.pdf', kind: 'pdf', mimeType: 'application/pdf', sessionId: 's', messageId: 'm0' }],
  gaps: 'Searched 2 Session(s).',
  coverage: { sessionsUnreadable: ['broken'], truncatedToolResults: 1 },
  scannedFully: false,
}
const EMPTY = { ...ENVELOPE, facts: [], passages: [], materials: [] }
const NO_PLACE = { colour: false, columns: Infinity }

/** Runs a command line on an addon that answers `answer`, and notes what it was asked. */
async function run(argv, answer, { toTerminal = false, terminal = NO_PLACE } = {}) {
  const chunks = []
  const seen = { out: '', err: '', calls: [] }
  const operation = (name) => async (...given) => {
    seen.calls.push([name, ...given])
    return answer
  }
  const addon = {
    recall: operation('recall'),
    recallMore: operation('recallMore'),
    recallMaterial: operation('recallMaterial'),
    searchThreads: operation('searchThreads'),
    warm: operation('warm'),
    stats: () => ({ answers: 0 }),
  }
  const at = {
    addon,
    root: '/w',
    terminal,
    write: (chunk) => chunks.push(Buffer.from(chunk)),
    warn: (text) => (seen.err += text),
    toTerminal,
  }
  seen.status = await runCommand(parseArguments(argv), at)
  seen.bytes = Buffer.concat(chunks)
  seen.out = seen.bytes.toString()
  return seen
}

test('a search asks as the person wrote, and says that nothing is private from its owner', async () => {
  const argv = ['a', 'b', '-n', '3', '--session', 's', '--since', '5', '--until', '9', '--archived', '--explain']
  const { calls, status } = await run(argv, ENVELOPE)
  const [[name, request, deps, options]] = calls
  assert.equal(name, 'recall')
  assert.deepEqual(request, { terms: ['a', 'b'], limit: 3, sessionId: 's', since: 5, until: 9 })
  assert.equal(deps.workspaceRoot, '/w')
  assert.deepEqual(await deps.getPrivacyContext(), { incognitoActive: false })
  assert.deepEqual(options, { includeArchived: true, explain: true })
  assert.equal(status, 0)
})

test('an answer is shown with its facts, messages, files, reasons and gaps, and without control sequences', async () => {
  const { out } = await run(['模型'], ENVELOPE)
  const date = /\d{4}-\d\d-\d\d \d\d:\d\d/g
  assert.deepEqual(out.replace(date, 'WHEN').split('\n'), [
    'Known',
    '    a fact',
    '    note, WHEN',
    '',
    '1.  标题  WHEN  模型  score 1.25',
    "    recall more 's/it'\\''s'",
    '    user  WHEN',
    '    before',
    '  > tool result  WHEN',
    '    the 模型',
    '    [a.png] image/png, 2.0 KiB  recall material s/art_1',
    '    … more after',
    '    score: 9 messages in the corpus, matching ones 12.3457 long on average',
    '      模型: tf 1, df 2, idf 1.5, length 6, weight 0.5 = 1.25',
    '',
    'Files of these turns',
    '    [b.pdf] application/pdf',
    '',
    'Searched 2 Session(s).',
    'Not readable: broken',
    '1 tool result(s) are longer than what is searched of them.',
    '',
  ])
})

test('with colours the matches stand out', async () => {
  const { out } = await run(['模型'], ENVELOPE, { terminal: { colour: true, columns: 80 } })
  assert.ok(out.includes(`the ${ESC}[1;33m模型${ESC}[22;39m`))
})

test('nothing found is status 1 and still says what was searched', async () => {
  const { out, status } = await run(['x'], EMPTY)
  assert.equal(status, 1)
  assert.match(out, /^Searched 2 Session\(s\)\./)
})

test('a fact alone is something found', async () => {
  assert.equal((await run(['x'], { ...EMPTY, facts: ENVELOPE.facts })).status, 0)
})

test('--json prints the result as it is', async () => {
  const { out, status } = await run(['模型', '--json'], ENVELOPE)
  assert.deepEqual(JSON.parse(out), ENVELOPE)
  assert.equal(status, 0)
  assert.equal((await run(['x', '--json'], EMPTY)).status, 1)
})

test('a refusal is an error, except that an unknown id is nothing found', async () => {
  const refusal = (reason) => ({ ok: false, reason, message: `no${ESC}[2J` })
  const invalid = await run(['x'], refusal('invalid_query'))
  assert.deepEqual([invalid.status, invalid.out, invalid.err], [2, '', 'recall: no (invalid_query)\n'])
  const missing = await run(['more', 's/m'], refusal('not_found'))
  assert.deepEqual([missing.status, missing.out, missing.err], [1, '', 'recall: no (not_found)\n'])
  const json = await run(['threads', 'x', '--json'], refusal('unavailable'))
  assert.deepEqual([json.status, JSON.parse(json.out), json.err], [2, refusal('unavailable'), ''])
})

test('more asks for both sides of an anchor', async () => {
  const { calls, out } = await run(['more', 's/m', '--before', '0'], { ok: true, passage: { ...PASSAGE, matchedTerms: [], explain: undefined } })
  assert.deepEqual(calls[0].slice(0, 2), ['recallMore', { anchor: 's/m', before: 0, after: undefined }])
  assert.match(out, /^标题 {2}\d{4}-/)
})

test('a text material is printed without control sequences, asked for by its own Session', async () => {
  const { calls, out, status } = await run(['material', 's/a/b'], { ok: true, content: { kind: 'text', text: `x${ESC}[31my` } })
  const [[, request, , options]] = calls
  assert.deepEqual(request, { id: 's/a/b', bytes: undefined })
  assert.deepEqual(options, { includeArchived: undefined, activeSessionId: 's' })
  assert.deepEqual([out, status], ['xy\n', 0])
})

test('an image is described, or written where the person says, once', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'recall-material-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'shot.png')
  const content = { kind: 'image', mimeType: 'image/png', ref: { kind: 'session_file', sessionId: 's', relativePath: 'a' } }
  const bytes = Buffer.from([0x89, 0x50, 0x0a, 0xff])
  const described = await run(['material', 's/a'], { ok: true, content })
  assert.equal(described.out, 'An image, image/png. Write it to a file: recall material s/a -o FILE\n')
  const written = await run(['material', 's/a', '-o', file], { ok: true, content, bytes })
  assert.deepEqual(written.calls[0][1], { id: 's/a', bytes: true })
  assert.deepEqual([written.status, written.out], [0, ''])
  assert.deepEqual(readFileSync(file), bytes)
  const again = ['material', 's/a', '-o', file]
  await assert.rejects(run(again, { ok: true, content, bytes: Buffer.from('new') }), { name: 'Failure', message: `${file} exists; overwrite it with --force` })
  assert.deepEqual(readFileSync(file), bytes)
  const json = await run([...again, '--force', '--json'], { ok: true, content, bytes: Buffer.from('new') })
  assert.deepEqual(JSON.parse(json.out), { ok: true, content })
  assert.equal(readFileSync(file, 'utf8'), 'new')
})

test('a material goes to standard output as it is, but no image to a terminal', async () => {
  const content = { kind: 'image', mimeType: 'image/png', ref: {} }
  const bytes = Buffer.from([0x89, 0xff, 0x00])
  const piped = await run(['material', 's/a', '-o', '-'], { ok: true, content, bytes })
  assert.deepEqual(piped.bytes, bytes)
  await assert.rejects(run(['material', 's/a', '-o', '-'], { ok: true, content, bytes }, { toTerminal: true }), { name: 'Failure' })
})

test('a file that cannot be written is named', async () => {
  const file = join(tmpdir(), 'recall-no-such-folder', 'out.txt')
  await assert.rejects(run(['material', 's/a', '-o', file], { ok: true, content: { kind: 'text', text: 'x' } }), {
    name: 'Failure',
    message: new RegExp(`^cannot write ${file.replaceAll('\\', '\\\\')}: ENOENT`),
  })
  assert.equal(existsSync(file), false)
})

test('threads shows where a text stands', async () => {
  const found = [
    { source: 'thread', title: 'Release', summary: '任务标题', snippet: 'Release', target: { kind: 'thread', sessionId: 's' }, matches: [{ term: 'r', start: 0, end: 1 }] },
    { source: 'thread', title: 'Release', summary: '用户消息', snippet: 'a release', target: { kind: 'thread', sessionId: 's', turnId: 't', sequence: 4 }, matches: [] },
  ]
  const { calls, out, status } = await run(['threads', 'r', '-n', '40'], found)
  const [[, request, , options]] = calls
  assert.deepEqual([request, options], [{ source: 'thread', query: 'r', limit: 40 }, { includeArchived: undefined, maxResults: 40 }])
  assert.equal(out, '1. Release  任务标题\n    Release\n    s\n\n2. Release  用户消息\n    a release\n    s #4\n\n')
  assert.equal(status, 0)
  assert.deepEqual([(await run(['threads', 'r'], [])).status, (await run(['threads', 'r', '--json'], [])).out], [1, '[]\n'])
})

test('threads of archived Sessions on request', async () => {
  const [[, , , options]] = (await run(['threads', '--archived', 'r'], [])).calls
  assert.deepEqual(options, { includeArchived: true, maxResults: undefined })
})

test('stats reads ahead and says what that keeps, without counters of a process that has just begun', async () => {
  const report = {
    ok: true, sessions: 15, sessionsHeld: 9, sessionsOutlined: 4, sessionsLeftOut: 2,
    textBytes: 5427, heldBytes: 1536, budgetBytes: 2 ** 27, complete: true, tookMs: 48.7,
  }
  const { calls, out } = await run(['stats'], report)
  assert.deepEqual(calls, [['warm', '/w']])
  assert.deepEqual(out.split('\n'), [
    'Read ahead in 49 ms',
    '    Sessions that may be searched   15',
    '    answered from memory            9, with 5.3 KiB of text',
    '    skipped from memory, else read  4',
    '    always read from the database   2',
    '    memory                          1.5 KiB of at most 128.0 MiB',
    '',
  ])
  const full = await run(['stats'], { ...report, complete: false, tookMs: 1250 })
  assert.match(full.out, /^Read ahead in 1\.3 s\n[^]*\nNot all texts fit into that memory\.\n$/)
  assert.deepEqual(JSON.parse((await run(['stats', '--json'], report)).out), { warm: report, stats: { answers: 0 } })
})
