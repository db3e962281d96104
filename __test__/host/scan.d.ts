// The search as the host typed it, before there was another one.

import type { Fact, HistoryDeps, MaterialContent } from './history.js'

export interface SearchOptions {
  activeSessionId?: string
  excludeTurnIds?: Iterable<string>
  abortSignal?: AbortSignal
}

export interface Failure {
  ok: false
  reason: string
  message: string
}

export interface Message {
  messageId: string
  role: 'user' | 'assistant' | 'tool'
  text: string
  timestamp: number
  isAnchor: boolean
}

export interface Passage {
  sessionId: string
  sessionTitle: string
  anchor: string
  messages: Message[]
  score: number
  hasMoreBefore: boolean
  hasMoreAfter: boolean
}

export interface Envelope {
  ok: true
  facts: Fact[]
  passages: Passage[]
  materials: { id?: string; name: string; mimeType: string }[]
  gaps: string
  coverage: { sessionsUnreadable: string[] }
}

export interface ThreadResult {
  title: string
  summary: string
  snippet: string
  target: { kind: 'thread'; sessionId: string; turnId?: string; sequence?: number }
}

export declare function runRecall(request: unknown, deps: HistoryDeps, options?: SearchOptions): Promise<Envelope | Failure>
export declare function expandRecallPassage(
  request: unknown,
  deps: HistoryDeps,
  options?: SearchOptions,
): Promise<{ ok: true; passage: Passage } | Failure>
export declare function fetchRecallMaterial(
  request: unknown,
  deps: HistoryDeps,
  options?: SearchOptions,
): Promise<{ ok: true; content: MaterialContent } | Failure>
export declare function runThreadSearch(
  request: unknown,
  deps: HistoryDeps,
  options?: SearchOptions,
): Promise<ThreadResult[] | Failure>
