// The command line to one command as data.
//
// The first word names the command when it is one of COMMANDS; after `--` every
// word is a plain word, so `recall -- more` searches for "more". Ranges (how
// large a limit may be) are the engine's to judge: here only the syntax counts.

import { parseBound } from './dates.js'
import { UsageFailure } from './failure.js'

/** Words that name a command when they come first. */
export const COMMANDS = ['more', 'material', 'threads', 'stats']

const EVERYWHERE = ['root', 'json', 'help', 'version']
const ACCEPTED = {
  search: ['limit', 'session', 'since', 'until', 'archived', 'explain'],
  more: ['before', 'after', 'archived'],
  material: ['output', 'force', 'archived'],
  threads: ['limit', 'archived'],
  stats: [],
}
const SHORT = { h: 'help', V: 'version', o: 'output', n: 'limit' }
const FLAGS = new Set(['json', 'help', 'version', 'archived', 'explain', 'force'])
const VALUES = {
  root: (text) => nonEmpty('root', text),
  output: (text) => nonEmpty('output', text),
  session: (text) => nonEmpty('session', text),
  limit: (text) => number('limit', text),
  before: (text) => number('before', text),
  after: (text) => number('after', text),
  since: (text) => parseBound(text, 'since'),
  until: (text) => parseBound(text, 'until'),
}

/**
 * @typedef {object} Command
 * @property {'search' | 'more' | 'material' | 'threads' | 'stats' | 'help' | 'version'} name
 * @property {string[]} words terms of a search; the one anchor, id or query of the others
 * @property {Record<string, string | number | true>} options by long name, without dashes
 */

/**
 * Reads a command line.
 *
 * @param {readonly string[]} argv without the program and the script
 * @returns {Command}
 * @throws {UsageFailure} naming the argument
 */
export function parseArguments(argv) {
  const { options, words, command } = split(argv)
  if (options.help) return { name: 'help', words: [], options: {} }
  if (options.version) return { name: 'version', words: [], options: {} }
  const name = command ?? 'search'
  for (const option of Object.keys(options)) {
    if (EVERYWHERE.includes(option) || ACCEPTED[name].includes(option)) continue
    throw new UsageFailure(`${spelled(option)} does not go with ${command ? `recall ${command}` : 'a search'}`)
  }
  if (options.force && !options.output) throw new UsageFailure('--force goes with -o FILE')
  expectWords(name, words)
  return { name, words, options }
}

function split(argv) {
  const options = {}
  const words = []
  let command
  let literal = false
  for (let at = 0; at < argv.length; at += 1) {
    const argument = argv[at]
    if (literal || argument === '-' || !argument.startsWith('-')) {
      const first = !literal && command === undefined && words.length === 0
      if (first && COMMANDS.includes(argument)) command = argument
      else words.push(argument)
      continue
    }
    if (argument === '--') {
      literal = true
      continue
    }
    const { name, attached } = option(argument)
    if (options[name] !== undefined && !FLAGS.has(name)) throw new UsageFailure(`${spelled(name)} is given twice`)
    if (FLAGS.has(name)) {
      if (attached !== undefined) throw new UsageFailure(`${spelled(name)} takes no value`)
      options[name] = true
      continue
    }
    const value = attached ?? argv[(at += 1)]
    if (value === undefined) throw new UsageFailure(`${spelled(name)} needs a value`)
    options[name] = VALUES[name](value)
  }
  return { options, words, command }
}

function option(argument) {
  if (!argument.startsWith('--')) {
    const name = SHORT[argument[1]]
    if (name === undefined) throw unknown(argument)
    if (argument.length === 2) return { name, attached: undefined }
    if (FLAGS.has(name)) throw unknown(argument)
    return { name, attached: argument.slice(argument[2] === '=' ? 3 : 2) }
  }
  const equals = argument.indexOf('=')
  const name = argument.slice(2, equals < 0 ? undefined : equals)
  if (!FLAGS.has(name) && !Object.hasOwn(VALUES, name)) throw unknown(argument)
  return { name, attached: equals < 0 ? undefined : argument.slice(equals + 1) }
}

function expectWords(name, words) {
  if (name === 'search') {
    if (words.length === 0) throw new UsageFailure('nothing to search for: name at least one TERM')
    return
  }
  if (name === 'stats') {
    if (words.length !== 0) throw new UsageFailure(`recall stats takes no ${words[0]}`)
    return
  }
  const wanted = { more: 'ANCHOR', material: 'ID', threads: 'QUERY' }[name]
  if (words.length === 0) throw new UsageFailure(`recall ${name} needs ${wanted}`)
  // A query is one text: unquoted words of it are put together again.
  if (name === 'threads') {
    words.splice(0, words.length, words.join(' '))
    return
  }
  if (words.length !== 1) throw new UsageFailure(`recall ${name} takes one ${wanted}, not ${words.length}`)
}

function nonEmpty(name, text) {
  if (text === '') throw new UsageFailure(`${spelled(name)} needs a value`)
  return text
}

function number(name, text) {
  if (!/^\d{1,15}$/.test(text)) throw new UsageFailure(`${spelled(name)} ${text}: not a whole number`)
  return Number(text)
}

function spelled(name) {
  return name === 'output' ? '-o' : `--${name}`
}

function unknown(argument) {
  return new UsageFailure(`unknown option ${argument}; a term that begins with a dash goes after --`)
}
