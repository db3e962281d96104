import assert from 'node:assert/strict'
import { test } from 'node:test'

import { parseArguments } from '../../bin/arguments.js'

const usage = (argv, message) => assert.throws(() => parseArguments(argv), { name: 'UsageFailure', message })

test('plain words are the terms of a search', () => {
  assert.deepEqual(parseArguments(['模型', 'context window']), {
    name: 'search',
    words: ['模型', 'context window'],
    options: {},
  })
})

test('the first word names a command, wherever the options stand', () => {
  assert.deepEqual(parseArguments(['--root', 'w', 'more', 's/m', '--before', '2', '--after=0']), {
    name: 'more',
    words: ['s/m'],
    options: { root: 'w', before: 2, after: 0 },
  })
  assert.deepEqual(parseArguments(['stats', '--json']), { name: 'stats', words: [], options: { json: true } })
  assert.deepEqual(parseArguments(['material', 's/a', '-o', 'out.png', '--force']), {
    name: 'material',
    words: ['s/a'],
    options: { output: 'out.png', force: true },
  })
})

test('after -- every word is a term', () => {
  assert.deepEqual(parseArguments(['--', 'more']).words, ['more'])
  assert.equal(parseArguments(['--', 'more']).name, 'search')
  assert.deepEqual(parseArguments(['-n', '3', '--', '--json', 'stats']), {
    name: 'search',
    words: ['--json', 'stats'],
    options: { limit: 3 },
  })
})

test('a command word that is not the first is a term', () => {
  assert.deepEqual(parseArguments(['read', 'more']).words, ['read', 'more'])
})

test('a query of several words is one text', () => {
  assert.deepEqual(parseArguments(['threads', 'release', 'checklist']).words, ['release checklist'])
})

test('short options take their value attached or apart', () => {
  for (const argv of [['-n5', 'a'], ['-n', '5', 'a'], ['-n=5', 'a'], ['--limit=5', 'a']]) {
    assert.equal(parseArguments(argv).options.limit, 5)
  }
  assert.equal(parseArguments(['material', 's/a', '-o-']).options.output, '-')
})

test('help and version win over everything else', () => {
  assert.equal(parseArguments(['more', '--help']).name, 'help')
  assert.equal(parseArguments(['-V']).name, 'version')
})

test('what cannot be meant is refused by name', () => {
  usage([], 'nothing to search for: name at least one TERM')
  usage(['--wat', 'a'], 'unknown option --wat; a term that begins with a dash goes after --')
  usage(['-x'], 'unknown option -x; a term that begins with a dash goes after --')
  usage(['--constructor=1', 'a'], 'unknown option --constructor=1; a term that begins with a dash goes after --')
  usage(['a', '--limit'], '--limit needs a value')
  usage(['a', '--root='], '--root needs a value')
  usage(['a', '--json=1'], '--json takes no value')
  usage(['a', '--limit', '3', '--limit', '4'], '--limit is given twice')
  usage(['a', '--limit', '1.5'], '--limit 1.5: not a whole number')
  usage(['a', '--before', '3'], '--before does not go with a search')
  usage(['more', 's/m', '--since', '2026-09-01'], '--since does not go with recall more')
  usage(['a', '-o', 'f'], '-o does not go with a search')
  usage(['material', 's/a', '--force'], '--force goes with -o FILE')
  usage(['more'], 'recall more needs ANCHOR')
  usage(['material', 'a', 'b'], 'recall material takes one ID, not 2')
  usage(['threads', '--explain', 'a'], '--explain does not go with recall threads')
  usage(['stats', 'now'], 'recall stats takes no now')
})
