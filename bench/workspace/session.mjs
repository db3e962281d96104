// What happens in a Session, step by step, whatever it is stored as.

import { toolResult } from './results.mjs'
import { TOOLS, TOPICS } from './vocabulary.mjs'

/** Of the messages, so many hold a secret or what looks like one. */
const SECRET_SHARE = 0.09
/** Of the messages, so many hold text that lowering A-Z does not fold. */
const UNSTABLE_SHARE = 0.013

/** A Session with its header; `steps` is the story. */
export function newSession({ random, prose, index, createdAt, workspaceRoot }) {
  const id = `s-${String(index).padStart(4, '0')}-${random.hex(8)}`
  const short = index.toString(36)
  const topics = TOPICS.filter(({ share }) => random.chance(share))
  const header = {
    id,
    workspaceRoot,
    cwd: '/home/dev/project',
    createdAt,
    name: prose.sentence(topics).trim().slice(0, 60),
    titleIsManual: false,
    isFlagged: false,
    labels: [],
    isArchived: index % 31 === 30,
    status: 'active',
    statusUpdatedAt: createdAt,
    hasUnread: false,
    backend: index % 97 === 50 ? 'fake' : 'ai-sdk',
    llmConnectionSlug: 'provider-a',
    connectionLocked: true,
    model: 'model-a',
    permissionMode: 'ask',
    collaborationMode: 'agent',
    orchestrationMode: 'default',
    schemaVersion: 1,
  }
  return { id, short, header, topics }
}

/**
 * The steps of a Session until `bytesLeft()` is used up: `open`, `user`,
 * `thinking`, `assistant`, `call`, `result`, `usage` and `end` with their
 * contents. The last turn of a `live` Session has no end yet.
 */
export function* steps({ random, prose, session, bytesLeft, live }) {
  const { id: sessionId, topics } = session
  let turn = 0
  while (0 < bytesLeft()) {
    turn += 1
    const turnId = `${session.short}t${turn}`
    const isChild = random.chance(0.02)
    yield { type: 'open', turnId, isChild }
    yield { type: 'user', turnId, text: text(random.between(1, 5)), attachments: attachments() }
    // Most turns are short; some are an agent at work for an hour.
    const rounds = Math.min(160, Math.ceil(random.logNormal(9, 1)))
    for (let round = 0; round < rounds && 0 < bytesLeft(); round += 1) {
      const stepId = `${turnId}-m${round}`
      const speaks = random.chance(0.5)
      // Thinking belongs to a message: without one it would have no row.
      if (speaks && random.chance(0.8)) yield { type: 'thinking', turnId, stepId, text: prose.sentence(topics) }
      if (speaks) yield { type: 'assistant', turnId, stepId, text: text(random.between(1, 4)) }
      const callId = `${turnId}-c${round}`
      const name = random.pickSkewed(TOOLS)
      const args = { file_path: prose.path(), limit: random.below(400) }
      yield { type: 'call', turnId, stepId, callId, name, args, intent: intent() }
      const result = toolResult(random, prose, { topics, extra: extras(), sessionId })
      yield { type: 'result', turnId, callId, name, result, isError: random.chance(0.04) }
      yield { type: 'usage', turnId }
    }
    const last = bytesLeft() <= 0
    if (last && live) {
      yield { type: 'arriving', turnId, stepId: `${turnId}-last`, text: text(6) }
      return
    }
    yield { type: 'assistant', turnId, stepId: `${turnId}-last`, text: text(random.between(2, 14)) }
    yield { type: 'end', turnId, status: random.chance(0.93) ? 'completed' : random.pick(['failed', 'aborted']) }
  }

  function text(sentences) {
    return [prose.paragraphs(sentences, topics), ...extras()].join('\n')
  }

  function extras() {
    const extra = []
    if (random.chance(SECRET_SHARE)) extra.push(prose.secret())
    if (random.chance(UNSTABLE_SHARE)) extra.push(prose.unstable())
    return extra
  }

  function intent() {
    return random.chance(0.5) ? prose.sentence(topics).trim() : undefined
  }

  function attachments() {
    if (!random.chance(0.04)) return undefined
    const relativePath = `att_${random.hex(16)}`
    const name = `${prose.identifier()}.png`
    const ref = { kind: 'session_file', relativePath, sessionId }
    return [{ bytes: random.below(1e6), kind: 'image', mimeType: 'image/png', name, ref }]
  }
}
