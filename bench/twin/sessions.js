// Which Sessions may be searched, and in which order.

import { compareCodePoints } from './fold.js'

/**
 * A Session as Recall needs it, from a stored header or from a summary that the
 * host lists; `undefined` for something that is no Session of the list.
 */
export function readSession(header) {
  if (header === null || typeof header !== 'object' || typeof header.id !== 'string') return undefined
  if (header.conversationCopy?.state === 'preparing') return undefined
  if (header.role !== undefined && header.role !== null) return undefined
  const text = (value) => (typeof value === 'string' ? value : undefined)
  const number = (value) => (typeof value === 'number' ? value : undefined)
  return {
    id: header.id,
    name: text(header.name) ?? '',
    backend: text(header.backend),
    archived: header.isArchived === true,
    createdAt: number(header.createdAt) ?? 0,
    lastMessageAt: number(header.lastMessageAt),
    statusUpdatedAt: number(header.statusUpdatedAt),
    revisionRoot: text(header.revisionRootSessionId),
    revisionParent: text(header.revisionParentSessionId),
    revisionState: text(header.revisionState),
    ledgerVersion: number(header.transcriptLedgerVersion),
    workspaceRoot: text(header.workspaceRoot),
    model: text(header.model),
    external: header.externalOrigin !== undefined && header.externalOrigin !== null,
  }
}

/** The Sessions a caller may see, newest first. */
export function eligibleSessions(sessions, { activeSessionId, includeArchived = false } = {}) {
  return collapseRevisions(sessions, activeSessionId)
    .filter((session) => session.backend !== 'fake')
    .filter((session) => includeArchived || !session.archived)
    .sort(
      (left, right) =>
        (right.lastMessageAt ?? 0) - (left.lastMessageAt ?? 0) || compareCodePoints(left.id, right.id),
    )
}

/** One Session of every family of revisions. */
function collapseRevisions(sessions, activeSessionId) {
  const families = new Map()
  for (const session of sessions) {
    const family = session.revisionRoot ?? session.id
    if (!families.has(family)) families.set(family, [])
    families.get(family).push(session)
  }
  return [...families.values()].map((members) => representative(members, activeSessionId))
}

function representative(members, activeSessionId) {
  const active = members.find((member) => member.id === activeSessionId)
  if (active !== undefined) return active
  const visible = members.filter(
    (member) => member.revisionParent === undefined || member.revisionState !== 'preparing',
  )
  const candidates = visible.length === 0 ? members : visible
  const freshness = (member) => member.lastMessageAt ?? member.statusUpdatedAt ?? 0
  return [...candidates].sort(
    (left, right) =>
      Number(left.lastMessageAt === undefined) - Number(right.lastMessageAt === undefined) ||
      freshness(right) - freshness(left) ||
      compareCodePoints(left.id, right.id),
  )[0]
}
