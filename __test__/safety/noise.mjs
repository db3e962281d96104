// Damaged databases, many of them, in a process that may crash. Says
// `{seed, damage}` before each, `{seed, answers}` after it.
//
//   node noise.mjs TEMPLATE FIRST END      seeds FIRST to END - 1

import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import * as addon from '../../index.js'
import { answerOf } from './ask.mjs'
import { QUESTIONS } from './changes.mjs'
import { Random } from './random.mjs'
import { say } from './remote.mjs'

const PAGE_BYTES = 4_096
const [template, first, end] = process.argv.slice(2)

for (let seed = Number(first); seed < Number(end); seed++) {
  const root = mkdtempSync(join(tmpdir(), 'recall-'))
  cpSync(template, root, { recursive: true })
  say({ seed, damage: damage(root, new Random(seed)) })
  const answers = []
  for (const question of QUESTIONS) answers.push(await outcome(() => answerOf(addon, root, question)))
  answers.push(await outcome(() => addon.warm(root)))
  answers.push(await outcome(() => answerOf(addon, root, ['alpha'])))
  say({ seed, answers })
  addon.release(root)
  rmSync(root, { recursive: true, force: true })
}
process.exit(0)

/** `answer`, the reason of a failure, or what was thrown. */
async function outcome(ask) {
  try {
    const answer = await ask()
    return answer.ok === false ? answer.reason : 'answer'
  } catch (error) {
    return `${error.code}: ${error.message}`
  }
}

/** Overwrites parts of one of the files; tells what it did. */
function damage(root, random) {
  const files = ['runtime.sqlite', 'runtime.sqlite', 'runtime.sqlite', 'runtime.sqlite-wal', 'memory.sqlite']
  const name = random.pick(files.filter((file) => existsSync(join(root, file))))
  const bytes = readFileSync(join(root, name))
  const pages = Math.floor(bytes.length / PAGE_BYTES)
  const done = []
  for (let count = 1 + random.below(4); 0 < count; count--) {
    const page = random.below(pages)
    const at = page * PAGE_BYTES
    const kind = random.pick(['noise', 'zeros', 'copy', 'bits', 'head', 'cut'])
    done.push(`${kind} ${page}`)
    if (kind === 'noise') for (let index = 0; index < PAGE_BYTES; index++) bytes[at + index] = random.below(256)
    if (kind === 'zeros') bytes.fill(0, at, at + PAGE_BYTES)
    if (kind === 'copy') bytes.copyWithin(at, random.below(pages) * PAGE_BYTES, random.below(pages) * PAGE_BYTES + PAGE_BYTES)
    if (kind === 'bits') for (let flips = 1 + random.below(20); 0 < flips; flips--) bytes[at + random.below(PAGE_BYTES)] ^= 1 << random.below(8)
    // The header of the page: what kind it is, how many cells, where they are.
    if (kind === 'head') for (let index = 0; index < 12; index++) if (random.chance(40)) bytes[at + index] = random.below(256)
    if (kind === 'cut' && 0 < page) {
      writeFileSync(join(root, name), bytes.subarray(0, at + random.below(2) * random.below(PAGE_BYTES)))
      return [name, ...done]
    }
  }
  writeFileSync(join(root, name), bytes)
  return [name, ...done]
}
