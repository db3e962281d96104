// `memory.sqlite`: distilled facts.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { createMemoryTables } from './schema.mjs'
import { TOPICS } from './vocabulary.mjs'

const FACTS = 200
const KINDS = ['preference', 'identity', 'context', 'knowledge', 'failure', 'note']

/** Writes the facts of a workspace. */
export function writeMemory(root, { random, prose, workspaceRoot, now }) {
  const db = new DatabaseSync(join(root, 'memory.sqlite'))
  createMemoryTables(db)
  const item = db.prepare(`
    INSERT INTO memory_items VALUES (?, 1, ?, ?, 'fact', 'undated', ?, ?, NULL, NULL, ?, ?, 'agent_extracted', ?, ?, ?)
  `)
  const key = db.prepare("INSERT OR IGNORE INTO memory_item_keys VALUES (?, ?, ?, 'concept', 'llm')")
  db.exec('BEGIN')
  for (let index = 0; index < FACTS; index += 1) {
    const id = `fact-${String(index).padStart(4, '0')}`
    const content = prose.sentence(TOPICS).trim()
    const isGlobal = random.chance(0.5)
    const at = now - random.below(1e9)
    const hash = createHash('sha256').update(content).digest('hex')
    const state = random.chance(0.9) ? 'active' : 'archived'
    const scope = isGlobal ? 'global' : 'workspace'
    item.run(id, content, random.pick(KINDS), scope, isGlobal ? null : workspaceRoot, at, state, hash, at, at)
    for (const text of [prose.identifier(), random.pick(random.pick(TOPICS).phrases)]) {
      key.run(id, text, text.normalize('NFC').toLowerCase())
    }
  }
  db.exec('COMMIT; PRAGMA journal_mode = WAL; PRAGMA wal_checkpoint(TRUNCATE);')
  db.close()
}
