// What is asked: queries with a name, and terms drawn from the corpus.

import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'

import { fold } from '../twin/fold.js'
import { redact } from '../twin/redact.js'
import { Random } from '../workspace/random.mjs'

/** Queries that show where searching is easy and where it is hard. */
export const QUERIES = [
  { name: '模型', terms: ['模型'] },
  { name: '图片', terms: ['图片'] },
  { name: 'context window', terms: ['context window'] },
  { name: 'zzzznotfound', terms: ['zzzznotfound'] },
  { name: 'one CJK character: 卷', terms: ['卷'] },
  { name: 'two letters: ui', terms: ['ui'] },
  { name: 'five terms', terms: ['模型', 'context window', 'retry', '任务队列', 'flaky snapshot'] },
  { name: 'in every Session: the', terms: ['the'] },
]

/** A corpus that gives no new term in so many draws has none left. */
const MISSES = 300
const WORD = /[A-Za-z_][A-Za-z0-9_]{2,}|[\u4e00-\u9fff]{2,}/g

/** `count` different terms of the texts, the same for the same seed: words, and pieces of Chinese. */
export function drawTerms(root, count, seed) {
  const random = new Random(`terms ${seed}`)
  const db = new DatabaseSync(join(root, 'runtime.sqlite'), { readOnly: true })
  const highest = db.prepare('SELECT max(rowid) AS rowid FROM runtime_events').get().rowid
  const nextText = db.prepare(`
    SELECT payload_json FROM runtime_events
    WHERE rowid >= ? AND event_kind IN ('text', 'function_response') ORDER BY rowid LIMIT 1
  `)
  const terms = new Map()
  for (let misses = 0; terms.size < count; misses += 1) {
    if (misses === MISSES) throw new Error(`${root} does not hold ${count} different terms`)
    const row = nextText.get(random.between(1, highest))
    if (row === undefined) continue
    const { content } = JSON.parse(row.payload_json)
    const words = leaves(content.text ?? content.result).match(WORD) ?? []
    if (words.length === 0) continue
    const term = pieceOf(random.pick(words), random)
    if (redact(term) !== term || terms.has(fold(term))) continue
    terms.set(fold(term), term)
    misses = 0
  }
  db.close()
  return [...terms.values()]
}

function pieceOf(word, random) {
  if (!/^[\u4e00-\u9fff]/.test(word)) return word
  const length = Math.min(word.length, random.between(2, 4))
  const start = random.below(word.length - length + 1)
  return word.slice(start, start + length)
}

function leaves(value) {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object') return ''
  return Object.values(value).map(leaves).join('\n')
}
