// The search modal's side of the main process.

import { runThreadSearch } from './scan.js'
import type { HistoryDeps } from './history.js'

/** As much of Electron's `ipcMain` as is needed here. */
export interface IpcMain {
  handle(channel: string, listener: (event: { senderId: number }, request: unknown) => Promise<unknown>): void
}

/** A line of the modal. */
export interface ModalLine {
  heading: string
  snippet: string
  open: { sessionId: string; turnId?: string }
}

export const THREAD_SEARCH_CHANNEL = 'threads:search'

/** Answers the modal: one search at a time for each window, the newest wins. */
export function registerThreadSearch(ipc: IpcMain, deps: HistoryDeps): void {
  const running = new Map<number, AbortController>()
  ipc.handle(THREAD_SEARCH_CHANNEL, async ({ senderId }, request) => {
    running.get(senderId)?.abort()
    const controller = new AbortController()
    running.set(senderId, controller)
    const found = await runThreadSearch(request, deps, { abortSignal: controller.signal })
    if (running.get(senderId) === controller) running.delete(senderId)
    if (!Array.isArray(found)) return { ok: false, reason: found.reason, message: found.message }
    return { ok: true, lines: found.map(modalLine) }
  })
}

function modalLine(result: {
  title: string
  summary: string
  snippet: string
  target: { sessionId: string; turnId?: string }
}): ModalLine {
  const { sessionId, turnId } = result.target
  return {
    heading: `${result.title} · ${result.summary}`,
    snippet: result.snippet,
    open: turnId === undefined ? { sessionId } : { sessionId, turnId },
  }
}
