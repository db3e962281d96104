// Files that messages carry.

const KINDS = new Set(['image', 'pdf', 'doc', 'code', 'other'])
const ARTIFACT_ID = /^[A-Za-z0-9_-]{1,128}$/

/** The attachments of a user message that have the declared shape, in order. */
export function attachmentsOf(message) {
  if (message.type !== 'user' || !Array.isArray(message.attachments)) return []
  return message.attachments.filter(isAttachment)
}

/** `session_file` references name an artifact by its id, not by a path. */
export function isArtifactId(id) {
  return typeof id === 'string' && ARTIFACT_ID.test(id)
}

/** The image of a tool result that is kept as an artifact of a Session. */
export function imageResultOf(message) {
  if (message.type !== 'tool_result') return undefined
  const { content } = message
  if (content === null || typeof content !== 'object' || content.kind !== 'image') return undefined
  return isSessionFile(content.ref) && typeof content.mimeType === 'string' ? content : undefined
}

/** Whether a reference names an artifact of a Session. */
export function isSessionFile(ref) {
  return (
    ref !== null &&
    typeof ref === 'object' &&
    ref.kind === 'session_file' &&
    typeof ref.sessionId === 'string' &&
    typeof ref.relativePath === 'string'
  )
}

function isAttachment(value) {
  if (value === null || typeof value !== 'object') return false
  const { kind, name, mimeType, bytes, ref } = value
  return (
    KINDS.has(kind) &&
    typeof name === 'string' &&
    typeof mimeType === 'string' &&
    Number.isSafeInteger(bytes) &&
    0 <= bytes &&
    isReference(ref)
  )
}

function isReference(ref) {
  if (isSessionFile(ref)) return true
  if (ref === null || typeof ref !== 'object') return false
  if (ref.kind === 'workspace_file') return typeof ref.relativePath === 'string'
  return ref.kind === 'external_file' && typeof ref.absolutePath === 'string'
}
