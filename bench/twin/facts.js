// Distilled facts: `memory.sqlite`, read-only.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { codePoints, compareCodePoints, fold } from './fold.js'
import { MAX_FACTS } from './limits.js'
import { redact } from './redact.js'

const MAX_KEY_CODE_POINTS = 256
/** What a key may not hold: controls, surrogates, zero-width characters, a byte order mark. */
const FORBIDDEN_IN_KEY = /[\p{Cc}\p{Cs}\u200b-\u200d\ufeff]/u

/** `{status: 'ok' | 'none' | 'unavailable', facts}`. A broken store fails no call. */
export function searchFacts(root, { workspaceRoot, terms }) {
  const path = join(root, 'memory.sqlite')
  if (!existsSync(path)) return { status: 'none', facts: [] }
  let db
  try {
    db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
    return { status: 'ok', facts: matchingFacts(db, workspaceRoot, terms) }
  } catch {
    return { status: 'unavailable', facts: [] }
  } finally {
    db?.close()
  }
}

/** What leaves of a fact, whoever stores it. */
export function shownFact({ content, kind, observedAt }) {
  return { content: redact(content.toWellFormed()), kind, observedAt }
}

function matchingFacts(db, workspaceRoot, terms) {
  const items = db
    .prepare(`
      SELECT item_id, content, kind, observed_at, updated_at FROM memory_items
      WHERE lifecycle_state = 'active'
        AND (scope_type = 'global' OR (scope_type = 'workspace' AND scope_key = ?))
    `)
    .all(workspaceRoot ?? null)
  const keys = new Map()
  for (const key of db.prepare('SELECT item_id, key_text, normalized_key FROM memory_item_keys').iterate()) {
    if (!keys.has(key.item_id)) keys.set(key.item_id, [])
    keys.get(key.item_id).push(key)
  }
  const wanted = terms.map((term) => ({ folded: term.folded, key: normalizeKey(term.text) }))
  return items
    .map((item) => scored(item, keys.get(item.item_id) ?? [], wanted))
    .filter((scoredItem) => 0 < scoredItem.terms)
    .sort(
      (left, right) =>
        right.terms - left.terms ||
        Number(right.byPrefix) - Number(left.byPrefix) ||
        right.item.updated_at - left.item.updated_at ||
        compareCodePoints(left.item.item_id, right.item.item_id),
    )
    .slice(0, MAX_FACTS)
    .map(({ item }) => shownFact({ content: item.content, kind: item.kind, observedAt: item.observed_at }))
}

/** A term counts by the start of a key, or anywhere in content or key, before and after redaction. */
function scored(item, keys, wanted) {
  const holds = (text, folded) => fold(text).includes(folded) && fold(redact(text)).includes(folded)
  let terms = 0
  let byPrefix = false
  for (const { folded, key: prefix } of wanted) {
    const starts =
      prefix !== undefined &&
      keys.some(
        ({ normalized_key: key }) => key.startsWith(prefix) && redact(key).startsWith(prefix),
      )
    byPrefix ||= starts
    const inText = holds(item.content, folded) || keys.some((key) => holds(key.key_text, folded))
    if (starts || inText) terms += 1
  }
  return { item, terms, byPrefix }
}

/** How the host spells keys; `undefined` for what cannot be one. */
function normalizeKey(text) {
  const key = text.normalize('NFC').trim()
  if (key === '' || MAX_KEY_CODE_POINTS < codePoints(key) || FORBIDDEN_IN_KEY.test(key)) return undefined
  return key.replace(/\s+/g, ' ').toLowerCase()
}
