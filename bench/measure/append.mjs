// A host that goes on writing: one more turn, in one transaction.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { EventWriter } from '../workspace/events.mjs'

/** Rows of a turn that is appended, about. */
const ROUNDS = 4

/** Writes turns into a Session of a workspace in the openings generation. */
export class Appender {
  #db
  #sessionId
  #turn = 0

  constructor(root) {
    this.#db = new DatabaseSync(join(root, 'runtime.sqlite'))
    this.#db.exec('PRAGMA synchronous = FULL')
    // The newest Session that can be found and whose turns have ended.
    this.#sessionId = this.#db
      .prepare(`
        SELECT session_id FROM session_metadata
        WHERE is_archived = 0 AND backend <> 'fake'
          AND session_id NOT IN (SELECT session_id FROM runtime_partial_snapshots)
        ORDER BY last_message_at DESC, session_id LIMIT 1
      `)
      .get().session_id
  }

  /** Appends a turn whose last message holds `word`. */
  append(word) {
    this.#turn += 1
    const turnId = `appended-${this.#turn}`
    const writer = new EventWriter(this.#sessionId, 'openings')
    const calls = Array.from({ length: ROUNDS }, (_, round) => {
      const call = { turnId, stepId: `${turnId}-m${round}`, callId: `${turnId}-c${round}`, name: 'Read' }
      const result = { kind: 'text', text: 'one more line of output\n'.repeat(20) }
      return [
        { ...call, type: 'call', args: { path: 'src/index.ts' }, intent: 'Read the file' },
        { ...call, type: 'result', result, isError: false },
        { type: 'usage', turnId },
      ]
    })
    const steps = [
      { type: 'open', turnId, isChild: false },
      { type: 'user', turnId, text: 'and now?' },
      ...calls.flat(),
      { type: 'assistant', turnId, stepId: `${turnId}-last`, text: `done, see ${word}` },
      { type: 'end', turnId, status: 'completed' },
    ]
    const now = Date.now()
    this.#db.exec('BEGIN IMMEDIATE')
    for (const step of steps) for (const event of writer.rowsOf(step, now).events) this.#insert(event)
    this.#db.exec('COMMIT')
  }

  close() {
    this.#db.close()
  }

  #insert({ id, invocationId, runId, turnId, seq, kind, json, ts }) {
    this.#db
      .prepare('INSERT INTO runtime_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
      .run(id, this.#sessionId, invocationId, runId, turnId, seq, kind, json, ts)
    this.#db
      .prepare(`
        INSERT INTO runtime_session_event_ordinals
        SELECT ?1, coalesce(max(ordinal), 0) + 1, ?2 FROM runtime_session_event_ordinals WHERE session_id = ?1
      `)
      .run(this.#sessionId, id)
  }
}
