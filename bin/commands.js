// One function a command: asks the addon, writes the answer, gives the status.

import { closeSync, openSync, writeSync } from 'node:fs'

import { Failure } from './failure.js'
import { presentEnvelope, presentImage, presentMore, presentThreads, presentWarm } from './present.js'
import { safeJson, safeLine, safeText } from './safe.js'

/** Exit statuses: part of the contract. */
export const FOUND = 0
export const NOTHING = 1
export const ERROR = 2

/** It is the person's own tool, on the person's own data. */
const PRIVACY = { incognitoActive: false }

/**
 * @typedef {object} Surroundings what a command works with
 * @property {object} addon the exports of the package
 * @property {string} root the workspace
 * @property {import('./terminal.js').Terminal} terminal
 * @property {(chunk: string | Uint8Array) => void} write to standard output
 * @property {(text: string) => void} warn to standard error
 * @property {boolean} toTerminal whether standard output is a terminal
 */

/**
 * Runs a command other than `help` and `version`.
 *
 * @param {import('./arguments.js').Command} command
 * @param {Surroundings} at
 * @returns {Promise<number>} the exit status
 */
export function runCommand(command, at) {
  return RUN[command.name](command, at)
}

const RUN = { search, more, material, threads, stats }

async function search({ words, options }, at) {
  const { limit, session, since, until, archived, explain, json } = options
  const request = { terms: words, limit, sessionId: session, since, until }
  const result = await at.addon.recall(request, deps(at), { includeArchived: archived, explain })
  if (json || !result.ok) return raw(result, json, at) ?? foundIn(result)
  at.write(presentEnvelope(result, at.terminal))
  return foundIn(result)
}

async function more({ words: [anchor], options }, at) {
  const { before, after, archived, json } = options
  const result = await at.addon.recallMore({ anchor, before, after }, deps(at), { includeArchived: archived })
  if (json || !result.ok) return raw(result, json, at) ?? FOUND
  at.write(presentMore(result, at.terminal))
  return FOUND
}

async function material({ words: [id], options }, at) {
  const { output, force, archived, json } = options
  // A material is read as its own Session reads it.
  const activeSessionId = id.slice(0, Math.max(0, id.indexOf('/')))
  const asked = { includeArchived: archived, activeSessionId }
  const result = await at.addon.recallMaterial({ id, bytes: output !== undefined || undefined }, deps(at), asked)
  if (!result.ok) return raw(result, json, at)
  if (output !== undefined) writeMaterial(result, { output, force }, at)
  if (json) {
    // With -o the bytes are in the file.
    const { bytes: _written, ...rest } = result
    if (output !== '-') at.write(`${safeJson(rest)}\n`)
    return FOUND
  }
  if (output !== undefined) return FOUND
  const { content } = result
  if (content.kind === 'text') at.write(lineEnded(safeText(content.text)))
  else at.write(presentImage(content, id))
  return FOUND
}

async function threads({ words: [query], options }, at) {
  const { limit, archived, json } = options
  const asked = { includeArchived: archived, maxResults: limit }
  const result = await at.addon.searchThreads({ source: 'thread', query, limit }, deps(at), asked)
  const found = Array.isArray(result)
  if (json || !found) return raw(result, json, at) ?? (result.length === 0 ? NOTHING : FOUND)
  at.write(presentThreads(result, at.terminal))
  return result.length === 0 ? NOTHING : FOUND
}

async function stats({ options: { json } }, at) {
  const warm = await at.addon.warm(at.root)
  if (warm.ok === false) return raw(warm, json, at)
  // Counters of a process that has just begun tell a person nothing.
  at.write(json ? `${safeJson({ warm, stats: at.addon.stats() })}\n` : presentWarm(warm, at.terminal))
  return FOUND
}

function deps(at) {
  return { workspaceRoot: at.root, getPrivacyContext: () => PRIVACY }
}

function foundIn({ facts, passages }) {
  return passages.length === 0 && facts.length === 0 ? NOTHING : FOUND
}

/**
 * Prints a refusal for whom it is, or any result as JSON.
 *
 * @returns {number | undefined} the status of a refusal; `undefined` for an answer
 */
function raw(result, json, at) {
  if (json) at.write(`${safeJson(result)}\n`)
  if (result.ok !== false) return undefined
  if (!json) at.warn(`recall: ${safeLine(result.message)} (${safeLine(result.reason)})\n`)
  return result.reason === 'not_found' ? NOTHING : ERROR
}

function writeMaterial({ content, bytes }, { output, force }, at) {
  const data = content.kind === 'text' ? Buffer.from(content.text) : bytes
  if (data === undefined) throw new Failure('the bytes of this file were not handed over')
  if (output === '-') {
    if (at.toTerminal && content.kind !== 'text') throw new Failure('an image does not go to a terminal: use -o FILE')
    at.write(at.toTerminal ? safeText(content.text) : data)
    return
  }
  let file
  try {
    file = openSync(output, force ? 'w' : 'wx', 0o600)
  } catch (error) {
    if (error.code === 'EEXIST') throw new Failure(`${output} exists; overwrite it with --force`)
    throw new Failure(`cannot write ${output}: ${error.message}`)
  }
  try {
    for (let written = 0; written < data.length; ) written += writeSync(file, data, written)
  } catch (error) {
    throw new Failure(`cannot write ${output}: ${error.message}`)
  } finally {
    closeSync(file)
  }
}

function lineEnded(text) {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
