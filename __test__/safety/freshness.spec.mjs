// Whatever happens to a workspace, and whoever does it: the next answer is what
// a process that knows nothing would give.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import * as addon from '../../index.js'
import { answerOf, freshAnswers } from './ask.mjs'
import { CHANGES, QUESTIONS, make, workspace } from './changes.mjs'
import { HostProcess, LiveHost } from './host.mjs'

async function ask(root) {
  const answers = []
  for (const question of QUESTIONS) answers.push(await answerOf(addon, root, question))
  return answers
}

const PLACES = [
  { by: 'by another connection of this process', Host: LiveHost, generation: 'openings' },
  { by: 'by another connection of this process, headers', Host: LiveHost, generation: 'headers' },
  { by: 'by another process', Host: HostProcess, generation: 'openings' },
]

for (const { by, Host, generation } of PLACES) {
  describe(by, () => {
    for (const [name, { given = [], steps, alters = true, onlyElsewhere = false }] of Object.entries(CHANGES)) {
      if (onlyElsewhere && Host === LiveHost) continue
      test(name, async () => {
        const { root, remove } = await workspace(generation)
        const host = new Host(root, { generation })
        try {
          const known = await make(host, root, given)
          const before = await ask(root)
          // From now on the answers come from memory, as far as they can.
          await addon.warm(root)
          assert.deepEqual(await ask(root), before)
          await make(host, root, steps, known)
          const next = await ask(root)
          assert.deepEqual(next, await freshAnswers(root, QUESTIONS))
          if (alters) assert.notDeepEqual(next, before, 'the change is seen')
          else assert.deepEqual(next, before)
        } finally {
          addon.release(root)
          await host.close()
          remove()
        }
      })
    }
  })
}

test('the questions find something', async () => {
  for (const generation of ['openings', 'headers']) {
    const { root, remove } = await workspace(generation)
    for (const answer of await ask(root)) assert.notEqual(answer.ok, false, answer.message)
    addon.release(root)
    remove()
  }
})

test('what a transaction has not committed is not there', async () => {
  const { root, remove } = await workspace()
  const host = new LiveHost(root)
  try {
    const before = await ask(root)
    await host.exec(`BEGIN IMMEDIATE; UPDATE session_metadata SET payload_json = json_set(payload_json, '$.name', 'alpha, unsaid')`)
    assert.deepEqual(await ask(root), before)
    await host.exec('COMMIT')
    const next = await ask(root)
    assert.notDeepEqual(next, before)
    assert.deepEqual(next, await freshAnswers(root, QUESTIONS))
  } finally {
    addon.release(root)
    await host.close()
    remove()
  }
})
