// What the host knows of its own history, and hands to a search: its callbacks.

/** What the privacy switch of the workspace says. */
export interface PrivacyContext {
  incognitoActive: boolean
}

/** A Session as the list shows it. */
export interface SessionSummary {
  id: string
  name: string
  backend: string
  isArchived: boolean
  lastMessageAt?: number
  revisionRootSessionId?: string
  revisionParentSessionId?: string
  revisionState?: string
  workspaceRoot?: string
}

/** A row of a transcript. */
export interface StoredMessage {
  type: string
  id: string
  ts: number
  turnId?: string
  [field: string]: unknown
}

export type FactKind = 'preference' | 'identity' | 'context' | 'knowledge' | 'failure' | 'note'

export interface Fact {
  content: string
  kind: FactKind
  observedAt: number
}

/** A file that was copied into the asking Session. */
export type FetchedMaterial =
  | { ok: true; content: MaterialContent }
  | { ok: false; reason: 'not_found' | 'unsupported'; message: string }

export type MaterialContent =
  | { kind: 'text'; text: string }
  | { kind: 'image'; mimeType: string; ref: { kind: 'session_file'; sessionId: string; relativePath: string } }

/** The callbacks of the host, and where its workspace is, once it says so. */
export interface HistoryDeps {
  workspaceRoot?: string
  getPrivacyContext(): Promise<PrivacyContext>
  listSessions(): Promise<SessionSummary[]>
  readMessages(sessionId: string, abortSignal?: AbortSignal): Promise<StoredMessage[] | null>
  fetchMaterial(question: { sourceSessionId: string; materialId: string; targetSessionId: string }): Promise<FetchedMaterial>
  searchFacts?(question: { sessionId?: string; terms: string[]; limit: number }): Promise<Fact[]>
}
