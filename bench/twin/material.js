// `recallMaterial`: a file that a message carries.

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'

import { isArtifactId } from './attachments.js'
import { MAX_ATTACHMENT_BYTES, MAX_TEXT_MATERIAL_BYTES } from './limits.js'
import { carriedBy } from './materials.js'
import { ABORTED, withSource } from './recall.js'
import { redact } from './redact.js'
import { isObject, privacyRefusal, readMaterialRequest, refusal } from './request.js'
import { eligibleSessions } from './sessions.js'

const NOT_FOUND = refusal('not_found', 'That material was not found.')

/** Answers `recallMaterial(request, deps, options)` with an image reference or a redacted text. */
export async function twinMaterial(input, deps, options = {}) {
  if (options.abortSignal?.aborted) return ABORTED
  const { request, refused } = readMaterialRequest(input)
  if (refused !== undefined) return refused
  if (typeof options.activeSessionId !== 'string' || options.activeSessionId === '') {
    return refusal('not_found', 'Materials need an active Session.')
  }
  const forbidden = await privacyRefusal(deps)
  if (forbidden !== undefined) return forbidden
  return withSource(deps, options, (source) => fetch(source, request, deps, options))
}

async function fetch(source, { sessionId, materialId }, deps, options) {
  const session = eligibleSessions(await source.sessions(), options).find(({ id }) => id === sessionId)
  if (session === undefined || !isArtifactId(materialId)) return NOT_FOUND
  const rows = (await source.read(session)) ?? []
  if (options.abortSignal?.aborted) return ABORTED
  const carried = rows.map((row) => carriedBy(row, sessionId, materialId))
  const attachment = carried.find((found) => found.attachment !== undefined)?.attachment
  const image = carried.find((found) => found.image !== undefined)?.image
  if (attachment === undefined && image === undefined) return NOT_FOUND
  const isElsewhere = source.root === undefined || sessionId !== options.activeSessionId
  if (isElsewhere && typeof deps.fetchMaterial === 'function') {
    return fetchThroughHost(deps, sessionId, materialId, options)
  }
  if (source.root === undefined) return NOT_FOUND
  if (attachment === undefined) return imageAnswer(image.mimeType, sessionId, materialId)
  return readAttachment(source, sessionId, materialId)
}

/** The host copies a file into the asking Session; its answer is passed on. */
async function fetchThroughHost(deps, sourceSessionId, materialId, { activeSessionId, abortSignal }) {
  let answer
  try {
    answer = await deps.fetchMaterial({
      sourceSessionId,
      materialId,
      targetSessionId: activeSessionId,
      abortSignal,
    })
  } catch {
    return NOT_FOUND
  }
  if (!isObject(answer)) return NOT_FOUND
  if (answer.ok === true) return { ok: true, content: answer.content }
  const message = typeof answer.message === 'string' ? answer.message : NOT_FOUND.message
  return refusal(answer.reason === 'unsupported' ? 'invalid_query' : 'not_found', message)
}

function readAttachment(source, sessionId, materialId) {
  const record = source.artifact(sessionId, materialId)
  if (record === undefined || record.source !== 'user_upload') return NOT_FOUND
  if (record.kind === 'pdf') return refusal('invalid_query', 'A PDF cannot be handed over.')
  if (MAX_ATTACHMENT_BYTES < record.sizeBytes) {
    return refusal('invalid_query', `A material is handed over up to ${MAX_ATTACHMENT_BYTES} bytes.`)
  }
  if (record.kind === 'image') {
    if (typeof record.mimeType !== 'string') return NOT_FOUND
    return imageAnswer(record.mimeType, sessionId, materialId)
  }
  const text = readText(source.root, record)
  return text === undefined ? NOT_FOUND : { ok: true, content: { kind: 'text', text: redact(text) } }
}

/** A file below `artifacts/`, wherever links lead. */
function readText(root, { relativePath }) {
  try {
    const artifacts = realpathSync(join(root, 'artifacts'))
    const path = realpathSync(join(artifacts, relativePath))
    const status = statSync(path)
    if (!path.startsWith(artifacts + sep) || !status.isFile() || MAX_TEXT_MATERIAL_BYTES < status.size) return undefined
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function imageAnswer(mimeType, sessionId, relativePath) {
  return { ok: true, content: { kind: 'image', mimeType, ref: { kind: 'session_file', sessionId, relativePath } } }
}
