// The addon in another process, asked the same questions: a fresh process knows
// nothing but the files.
//
//   node ask.mjs        questions as lines of JSON, see remote.mjs

import { pathToFileURL } from 'node:url'

import { plain, withoutNarrowing } from '../golden.mjs'
import { Remote, serve } from './remote.mjs'

const allowed = { getPrivacyContext: () => ({ incognitoActive: false }) }

/** A question: `{operation?, request, options?}`, or the terms of a `recall`. */
export const asked = (question) => (Array.isArray(question) ? { request: { terms: question } } : question)

/** The answer of `addon`, without how the Sessions were found. */
export async function answerOf(addon, root, question, extra = {}) {
  const { operation = 'recall', request, options } = asked(question)
  return withoutNarrowing(plain(await addon[operation](request, { ...allowed, workspaceRoot: root }, { ...options, ...extra })))
}

/** The answers of a process that is made for them; `options` go to `spawn`. */
export async function freshAnswers(root, questions, options = {}) {
  const fresh = new Remote(new URL(import.meta.url), [], options)
  try {
    return await fresh.call('ask', root, questions)
  } finally {
    await fresh.close()
  }
}

/** A process that forgets before each question, and reads everything. */
export class Forgetful {
  #remote = new Remote(new URL(import.meta.url))

  answers(root, questions) {
    return this.#remote.call('askForgetting', root, questions)
  }

  close() {
    return this.#remote.close()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const addon = await import('../../index.js')
  const inTurn = async (root, questions, extra, before = () => {}) => {
    const answers = []
    for (const question of questions) {
      before()
      answers.push(await answerOf(addon, root, question, extra))
    }
    return answers
  }
  serve({
    ask: (root, questions) => inTurn(root, questions, {}),
    warm: (root) => addon.warm(root),
    askForgetting: (root, questions) => inTurn(root, questions, { fullScan: true }, () => addon.release(root)),
  })
}
