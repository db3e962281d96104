// What a caller may rely on. Compiled, never run: `types.spec.mjs`.

import {
  expandRecallPassage,
  fetchRecallMaterial,
  recall,
  recallMaterial,
  recallMore,
  recallSearchableText,
  runRecall,
  runThreadSearch,
  searchThreads,
} from '../index.js'
import type {
  RecallDeps,
  RecallEnvelope,
  RecallFactKind,
  RecallFailure,
  RecallFailureReason,
  RecallMatchKind,
  RecallMaterialContent,
  RecallMaterialKind,
  RecallMaterialRequest,
  RecallMessageMaterial,
  RecallMoreRequest,
  RecallOptions,
  RecallRequest,
  RecallResult,
  RecallRole,
  RecallStoredMessage,
  ThreadSearchFailureReason,
  ThreadSearchOptions,
  ThreadSearchRequest,
  ThreadSearchResult,
} from '../index.js'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Same<A, B>) => {}

same<RecallRole, 'user' | 'assistant' | 'tool'>(true)
same<RecallMatchKind, 'user_message' | 'assistant_message' | 'tool_intent' | 'tool_result'>(true)
same<RecallMaterialKind, 'image' | 'pdf' | 'doc' | 'code' | 'other'>(true)
same<RecallFactKind, 'preference' | 'identity' | 'context' | 'knowledge' | 'failure' | 'note'>(true)
same<
  RecallFailureReason,
  'invalid_query' | 'incognito_active' | 'not_found' | 'aborted' | 'unavailable' | 'unsupported_workspace'
>(true)
same<
  ThreadSearchFailureReason,
  'disabled' | 'invalid_query' | 'incognito_active' | 'aborted' | 'unavailable' | 'unsupported_workspace'
>(true)
same<RecallEnvelope['coverage']['factsStatus'], 'ok' | 'none' | 'unavailable'>(true)
same<RecallEnvelope['coverage']['sessionCap'], number | null>(true)
same<RecallResult, RecallEnvelope | RecallFailure>(true)
same<Awaited<ReturnType<typeof runRecall>>, RecallResult>(true)

const deps: RecallDeps = { workspaceRoot: '/w', getPrivacyContext: () => ({ incognitoActive: false }) }
const options: RecallOptions = { excludeTurnIds: new Set(['t']), abortSignal: AbortSignal.timeout(1) }
const request: RecallRequest = { terms: ['x'], limit: 3 }

const answer = await recall(request, deps, options)
if (answer.ok) {
  same<typeof answer, RecallEnvelope>(true)
  for (const passage of answer.passages) {
    for (const { materials, role } of passage.messages) {
      same<typeof role, RecallRole>(true)
      for (const material of materials ?? []) located(material)
    }
  }
  // @ts-expect-error an answer has no reason
  answer.reason
} else {
  same<typeof answer.reason, RecallFailureReason>(true)
  // @ts-expect-error a failure has no passages
  answer.passages
}

function located(material: RecallMessageMaterial): string | undefined {
  if ('resource' in material) return material.resource
  if ('materialId' in material) return `${material.sourceSessionId}/${material.materialId}`
  // @ts-expect-error this one cannot be read from here
  material.resource
  return undefined
}

const more: RecallMoreRequest[] = [{ anchor: 's/m', before: 2 }, { sessionId: 's', anchorMessageId: 'm' }]
// @ts-expect-error half of an anchor
more.push({ sessionId: 's' })
for (const asked of more) {
  const expanded = await recallMore(asked, deps)
  if (expanded.ok) expanded.passage.messages satisfies readonly { text: string }[]
}
void expandRecallPassage

const materials: RecallMaterialRequest[] = [{ id: 's/a', bytes: true }, { sessionId: 's', materialId: 'a' }]
for (const asked of materials) {
  const fetched = await recallMaterial(asked, deps, { activeSessionId: 's' })
  if (!fetched.ok) continue
  if (fetched.content.kind === 'image') {
    same<typeof fetched.content.ref.kind, 'session_file'>(true)
  } else {
    same<typeof fetched.content.kind, 'text'>(true)
  }
  fetched.bytes satisfies Buffer | undefined
}
void fetchRecallMaterial

const wanted: ThreadSearchRequest = { source: 'thread', query: 'x' }
const found = await searchThreads(wanted, deps, { maxResults: 50 })
if (Array.isArray(found)) {
  same<typeof found, ThreadSearchResult[]>(true)
  found.map(({ target }) => target.kind satisfies 'thread')
} else {
  same<typeof found.reason, ThreadSearchFailureReason>(true)
}
void runThreadSearch
const searching: ThreadSearchOptions = { activeSessionId: 's', includeArchived: true, abortSignal: AbortSignal.timeout(1) }
// A host passes the options of a recall as they are.
await searchThreads(wanted, deps, options)
// @ts-expect-error the list is not ranked
searching.explain = true
// @ts-expect-error and stops by itself
searching.maxSessions = 5
// @ts-expect-error and is always narrowed
searching.fullScan = true

// A host's own dependencies, with its own types of a Session and a message.
type StoredMessage =
  | { type: 'user'; id: string; turnId?: string; ts: number; text: string }
  | { type: 'system_note'; id: string; ts: number; kind: string }
interface HostDeps {
  listSessions(): Promise<{ id: string; name: string; isArchived: boolean; labels: string[] }[]>
  readMessages(sessionId: string, abortSignal?: AbortSignal): Promise<StoredMessage[] | null>
  listCandidateSessions?(question: { sessionIds: string[]; terms: string[]; abortSignal?: AbortSignal }): Promise<string[] | null>
  countSearchableMessages?(question: { sessionIds: string[] }): Promise<number | null>
  getPrivacyContext(): Promise<unknown>
  fetchMaterial(question: {
    sourceSessionId: string
    materialId: string
    targetSessionId: string
    abortSignal?: AbortSignal
  }): Promise<{ ok: true; content: RecallMaterialContent } | { ok: false; reason: 'not_found' | 'unsupported'; message: string }>
  syntheticTextPatterns?: readonly RegExp[]
}
declare const host: HostDeps
await runRecall(request, host, {})

// An interface has no index signature of its own.
interface PlainMessage {
  type: string
  id: string
  ts: number
  args: { path: string }
}
declare const plain: PlainMessage
recallSearchableText(plain)
recallSearchableText({ type: 'user', id: 'm', ts: 1, text: '模型', displayText: 'shown', attachments: [{ name: 'a.png' }] })
recallSearchableText({ type: 'tool_call', id: 'm', ts: 1, toolName: 'Bash', intent: 'look', args: {}, stepId: 's' })
recallSearchableText({ type: 'tool_result', id: 'm', ts: 1, toolUseId: 'c', isError: false, content: { kind: 'text' } })
await runRecall(request, {
  ...deps,
  listSessions: () => [{ id: 's', name: 'Session', labels: [] }],
  readMessages: async () => [
    { type: 'user', id: 'm', ts: 1, text: 'sent' },
    { type: 'system_note', id: 'n', ts: 2, kind: 'error' },
  ],
})
const stored: RecallStoredMessage = { type: 'user', id: 'm', ts: 1 }
// @ts-expect-error a text is a string
stored.text = 5
// @ts-expect-error every message has an id
recallSearchableText({ type: 'user', ts: 1, text: 'x' })

// @ts-expect-error the privacy state always comes from the host
await recall(request, { workspaceRoot: '/w' })
// @ts-expect-error neither a text nor a promise of texts
await recall(request, { ...deps, listCandidateSessions: () => 'x' })
// @ts-expect-error no such option
await recall(request, deps, { cap: 5 })
