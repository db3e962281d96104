// The process of a host that commits, while another process commits too and
// recalls run. Says `{torn, recalls, acknowledged, found, integrity}`.
//
//   node stress.mjs MILLISECONDS

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import * as addon from '../../../index.js'
import { LiveHost } from '../host.mjs'
import { Remote, say } from '../remote.mjs'
import { stressing, tokenOf } from './stressing.mjs'

const milliseconds = Number(process.argv[2])
const SESSIONS = 6
const TURNS = 4
/** More than a page, so that a row lies on several of them. */
const PADDING = ' padding'.repeat(900)
const AT_ONCE = 3

const root = mkdtempSync(join(tmpdir(), 'recall-'))
const path = join(root, 'runtime.sqlite')
const host = new LiveHost(root)
for (let session = 0; session < SESSIONS; session++) {
  const sessionId = `session-${session}`
  await host.change('createSession', { sessionId, name: `about ${tokenOf(0)}` })
  for (let turn = 0; turn < TURNS; turn++) {
    await host.change('appendTurn', { sessionId, user: `marker ${tokenOf(0)}${PADDING}`, assistant: `read ${tokenOf(0)}` })
  }
}
await host.change('createSession', { sessionId: 'counted', name: `about ${tokenOf(0)}` })
await host.exec("INSERT INTO operational_schema_migrations VALUES ('tokens', 0, 0)")

const other = new Remote(new URL('other.mjs', import.meta.url))
const writers = Promise.all([stressing(path, 'host', milliseconds), other.call('stress', path, milliseconds)])
let done = false
writers.finally(() => (done = true)).catch(() => {})
const seen = { recalls: 0, torn: [] }
await Promise.all(Array.from({ length: AT_ONCE }, recalling))
const [byHost, byOther] = await writers
await other.close()
await host.close()

const database = new DatabaseSync(path)
const found = (writer) => database.prepare("SELECT count(*) AS n FROM session_messages WHERE message_id = ?").get(writer).n
say({
  ...seen,
  acknowledged: { host: byHost, other: byOther },
  found: { host: found('host'), other: found('other') },
  integrity: database.prepare('PRAGMA integrity_check').get().integrity_check,
})
database.close()
rmSync(root, { recursive: true, force: true })
process.exit(0)

/** Every answer must be of one commit. */
async function recalling() {
  const deps = { workspaceRoot: root, getPrivacyContext: () => ({ incognitoActive: false }) }
  while (!done) {
    const answer = await addon.recall({ terms: ['marker'], limit: 25 }, deps, { fullScan: seen.recalls % 2 === 0 })
    const tokens = new Set(JSON.stringify(answer).match(/token\d{8}/g))
    seen.recalls += 1
    const matched = answer.coverage?.matchedMessages ?? answer
    if (tokens.size !== 1 || matched !== SESSIONS * TURNS) seen.torn.push([...tokens, matched])
  }
}
