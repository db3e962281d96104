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

export interface Fact {
  content: string
  kind: string
  observedAt: number
}

/** The callbacks of the host, and where its workspace is, once it says so. */
export interface HistoryDeps {
  workspaceRoot?: string
  getPrivacyContext(): Promise<PrivacyContext>
  listSessions(): Promise<SessionSummary[]>
  readMessages(sessionId: string, abortSignal?: AbortSignal): Promise<StoredMessage[] | null>
  searchFacts?(question: { sessionId?: string; terms: string[]; limit: number }): Promise<Fact[]>
}
