// Every golden case, through the public interface.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import * as addon from '../index.js'
import { WORKSPACES, casesOf, copyOf, optionsOf, same, withoutNarrowing } from './golden.mjs'

const DROP_INS = {
  recall: addon.runRecall,
  recallMore: addon.expandRecallPassage,
  recallMaterial: addon.fetchRecallMaterial,
}

for (const name of WORKSPACES) {
  describe(name, () => {
    let copy
    before(() => (copy = copyOf(name)))
    after(() => copy.remove())

    for (const { name: title, op, request, options, expected } of casesOf(name)) {
      const ask = (more) => {
        const deps = { workspaceRoot: copy.root, getPrivacyContext: async () => options.privacy }
        return addon[op](request, deps, { ...optionsOf(options), ...more })
      }
      test(`${op}: ${title}`, async () => {
        if (op !== 'recall') return same(await ask(), expected)
        const [narrowed, full] = [await ask(), await ask({ fullScan: true })]
        same(withoutNarrowing(narrowed), withoutNarrowing(expected))
        same(withoutNarrowing(full), withoutNarrowing(expected))
        if (full.ok) assert.equal(full.scannedFully, true)
      })
    }
  })
}

describe('deps', () => {
  for (const golden of casesOf('deps')) {
    test(`${golden.op}: ${golden.name}`, async () => {
      const answer = await DROP_INS[golden.op](
        golden.request,
        hostOf(golden),
        optionsOf(golden.options),
      )
      same(answer, golden.expected)
    })
  }
})

/** The dependencies that a case describes. */
function hostOf({ sessions, messages, privacy, facts, candidateMode, candidates, count, material }) {
  const host = {
    getPrivacyContext: async () => privacy,
    listSessions: async () => sessions,
    readMessages: async (sessionId) => messages[sessionId] ?? null,
  }
  if (candidateMode !== 'none') host.listCandidateSessions = async () => candidates
  if (candidateMode === 'answers') host.countSearchableMessages = async () => count
  if (facts !== undefined) {
    host.searchFacts = async () => {
      if (facts === 'throws') throw new Error('the facts cannot be read')
      return facts
    }
  }
  if (material !== undefined) host.fetchMaterial = async () => material
  return host
}
