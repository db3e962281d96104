// Distilled facts, in `memory.sqlite`.

import { insert, sha256 } from './database.mjs'

/** A fact; `scope` is the workspace that it is about, absent: any. */
export function remember(host, { itemId, content, keys, scope }) {
  const at = host.now()
  insert(host.memory, 'memory_items', {
    item_id: itemId, version: 1, content, kind: 'knowledge', statement_type: 'fact', temporal_type: 'undated',
    scope_type: scope === undefined ? 'global' : 'workspace', scope_key: scope ?? null, observed_at: at, lifecycle_state: 'active',
    origin: 'agent_extracted', content_hash: sha256(content), created_at: at, updated_at: at,
  })
  writeKeys(host, itemId, keys)
}

/** Another content and other keys, in place. */
export function updateFact(host, { itemId, content, keys }) {
  host.memory
    .prepare('UPDATE memory_items SET content = ?, content_hash = ?, version = version + 1, updated_at = ? WHERE item_id = ?')
    .run(content, sha256(content), host.now(), itemId)
  host.memory.prepare('DELETE FROM memory_item_keys WHERE item_id = ?').run(itemId)
  writeKeys(host, itemId, keys)
}

export function archiveFact(host, { itemId }) {
  host.memory.prepare("UPDATE memory_items SET lifecycle_state = 'archived', version = version + 1 WHERE item_id = ?").run(itemId)
}

function writeKeys(host, itemId, keys) {
  for (const key of keys) {
    insert(host.memory, 'memory_item_keys', { item_id: itemId, key_text: key, normalized_key: key.toLowerCase(), key_type: 'concept', key_origin: 'llm' })
  }
}
