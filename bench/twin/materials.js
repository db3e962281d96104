// Files of messages and of turns: metadata, and where they can be fetched.

import { attachmentsOf, imageResultOf, isArtifactId, isSessionFile } from './attachments.js'
import { ENVELOPE_MATERIALS, MESSAGE_MATERIALS, TURN_MATERIALS } from './limits.js'
import { redact } from './redact.js'

/** The files of a message as they stand in a passage; `undefined` when there are none. */
export function messageMaterials(message, { eligibleIds, activeSessionId }) {
  const attachments = attachmentsOf(message).slice(0, MESSAGE_MATERIALS)
  if (attachments.length === 0) return undefined
  return attachments.map(({ name, kind, mimeType, bytes, ref }) => ({
    name: redact(name.toWellFormed()),
    kind,
    mimeType,
    bytes,
    ...locationOf(kind, ref, eligibleIds, activeSessionId),
  }))
}

/** Every file of the turns that the passages come from; an id is listed once. */
export function envelopeMaterials(passages, eligibleIds) {
  const materials = []
  const listed = new Set()
  for (const { session, rows, anchor } of passages) {
    const turnId = rows[anchor].turnId
    const turn = turnId === undefined || turnId === null ? [rows[anchor]] : rows.filter((row) => row.turnId === turnId)
    let ofTurn = 0
    for (const material of turn.flatMap((row) => turnMaterials(row, session, eligibleIds))) {
      if (ofTurn === TURN_MATERIALS || materials.length === ENVELOPE_MATERIALS) break
      if (material.id !== undefined && listed.has(material.id)) continue
      listed.add(material.id)
      materials.push(material)
      ofTurn += 1
    }
  }
  return materials
}

/** Whether a row carries the artifact, and how: `attachment` and `image` apart. */
export function carriedBy(row, sessionId, materialId) {
  const names = (ref) => isSessionFile(ref) && ref.sessionId === sessionId && ref.relativePath === materialId
  const attachment = attachmentsOf(row).find(({ ref }) => names(ref))
  if (attachment !== undefined) return { attachment }
  const image = imageResultOf(row)
  return image !== undefined && names(image.ref) ? { image } : {}
}

function turnMaterials(row, session, eligibleIds) {
  const place = { sessionId: session.id, turnId: row.turnId, messageId: row.id }
  const image = imageResultOf(row)
  if (image !== undefined) {
    const { mimeType, ref } = image
    const id = materialId('image', ref, eligibleIds)
    return [{ id, kind: 'image', name: redact(ref.relativePath.toWellFormed()), mimeType, ...place }]
  }
  return attachmentsOf(row).map(({ name, kind, mimeType, bytes, ref }) => ({
    id: materialId(kind, ref, eligibleIds),
    kind,
    name: redact(name.toWellFormed()),
    mimeType,
    bytes,
    ...place,
  }))
}

/** `undefined` for what cannot be fetched. */
function materialId(kind, ref, eligibleIds) {
  return isFetchable(kind, ref, eligibleIds) ? `${ref.sessionId}/${ref.relativePath}` : undefined
}

function locationOf(kind, ref, eligibleIds, activeSessionId) {
  if (!isFetchable(kind, ref, eligibleIds)) return {}
  if (ref.sessionId === activeSessionId) return { resource: `maka://runtime/attachments/${ref.relativePath}` }
  return { sourceSessionId: ref.sessionId, materialId: ref.relativePath }
}

function isFetchable(kind, ref, eligibleIds) {
  return (
    kind !== 'pdf' && isSessionFile(ref) && isArtifactId(ref.relativePath) && eligibleIds.has(ref.sessionId)
  )
}
