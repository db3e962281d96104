// Files that a Session owns, and the records of them.

import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { sha256 } from './database.mjs'

/** Stores `text` as an upload; gives the attachment that a message carries. */
export function addArtifact(host, { sessionId, artifactId, name, text }) {
  const relativePath = `${sessionId}/${artifactId}-${name}`
  const path = join(host.root, 'artifacts', relativePath)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  const sizeBytes = Buffer.byteLength(text)
  const createdAt = host.now()
  const mimeType = 'text/plain'
  const record = { id: artifactId, sessionId, turnId: 't', createdAt, name, kind: 'file', relativePath, mimeType, source: 'user_upload', sizeBytes }
  rewrite(host, (rows) => [...rows, { artifact_id: artifactId, session_id: sessionId, created_at: createdAt, relative_path: relativePath, record }])
  mark(host, sessionId)
  const ref = { kind: 'session_file', sessionId, relativePath: artifactId }
  return { kind: 'other', name, mimeType, bytes: sizeBytes, ref }
}

/** The record goes, and the file with it. */
export function removeArtifact(host, { sessionId, artifactId }) {
  const { relative_path } = host.row('SELECT relative_path FROM artifact_records WHERE artifact_id = ?', artifactId)
  rewrite(host, (rows) => rows.filter((row) => row.artifact_id !== artifactId))
  mark(host, sessionId)
  rmSync(join(host.root, 'artifacts', relative_path), { force: true })
}

/** The older generation deletes and inserts the whole table on every change. */
function rewrite(host, change) {
  const rows = host.rows('SELECT artifact_id, session_id, created_at, relative_path, record_json FROM artifact_records')
  host.run('DELETE FROM artifact_records')
  for (const { record_json, record, ...row } of change(rows)) {
    const plain = { ...row, record_json: record_json ?? JSON.stringify(record) }
    if (host.generation === 'openings') host.insert('artifact_records', plain)
    else host.insert('artifact_records', { storage_key: sha256(JSON.stringify(row.artifact_id)), status: 'live', ...plain })
  }
}

/** The newer generation has a trigger for this. */
function mark(host, sessionId) {
  if (host.generation === 'headers') return
  host.run('INSERT OR REPLACE INTO artifact_session_revisions VALUES (?, ?)', sessionId, randomBytes(32).toString('hex'))
}
