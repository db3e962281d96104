// Texts: prose in two languages, code, logs, secrets and what looks like some.

import { CHINESE, DIRECTORIES, ENGLISH, EXTENSIONS, FOLD_UNSTABLE } from './vocabulary.mjs'

const IDENTIFIERS = 24_000
/** Lines that many results have in common, as files that are read again and again do. */
const COMMON_LINES = 20_000
const LEVELS = ['info', 'warn', 'debug', 'error']

/** Writes texts from one source of randomness. */
export class Prose {
  #random
  #identifiers
  #common

  constructor(random) {
    this.#random = random
    this.#identifiers = Array.from({ length: IDENTIFIERS }, () => this.#newIdentifier())
    this.#common = Array.from({ length: COMMON_LINES }, () => this.#newLine())
  }

  identifier() {
    return this.#random.pickSkewed(this.#identifiers)
  }

  path() {
    const random = this.#random
    const folders = Array.from({ length: random.between(1, 3) }, () => random.pick(DIRECTORIES))
    return `${folders.join('/')}/${this.identifier()}.${random.pickSkewed(EXTENSIONS)}`
  }

  /** One sentence, in Chinese or English, with now and then a word of a topic. */
  sentence(topics) {
    const random = this.#random
    const chinese = random.chance(0.5)
    const words = Array.from({ length: random.between(5, 14) }, () => random.pickSkewed(chinese ? CHINESE : ENGLISH))
    for (const { every, phrases } of topics) {
      if (random.below(every) === 0) words.splice(random.below(words.length), 0, random.pick(phrases))
    }
    if (random.chance(0.25)) words.splice(random.below(words.length), 0, ` \`${this.identifier()}\` `)
    if (chinese) return `${words.join('')}。`
    const text = words.join(' ')
    return `${text[0].toUpperCase()}${text.slice(1)}. `
  }

  paragraphs(sentences, topics) {
    let text = ''
    for (let count = 0; count < sentences; count += 1) {
      text += this.sentence(topics)
      if (this.#random.chance(0.15)) text += '\n\n'
    }
    return text.trim()
  }

  /** About `bytes` of lines of code and logs. */
  lines(bytes, topics) {
    const random = this.#random
    let text = ''
    let size = 0
    while (size < bytes) {
      const line = this.#line(topics)
      text += `${line}\n`
      // Close enough, and far cheaper than counting: most lines are ASCII.
      size += line.length + 1
      if (random.below(60) === 0) {
        text += '\n'
        size += 1
      }
    }
    return text
  }

  #line(topics) {
    const random = this.#random
    const kind = random.unit()
    if (kind < 0.62) return random.pickSkewed(this.#common)
    if (kind < 0.93) return this.#newLine()
    return this.sentence(topics)
  }

  #newLine() {
    const random = this.#random
    const indent = '  '.repeat(random.below(4))
    switch (random.below(7)) {
      case 0:
        return `${indent}const ${this.#name()} = await ${this.#name()}(${this.#name()}, ${random.below(5000)})`
      case 1:
        return `${indent}if (${this.#name()}.${random.pick(ENGLISH)} !== "${random.pick(ENGLISH)}") return ${this.#name()}`
      case 2:
        return `${indent}// ${this.#phrase(random.between(4, 11))}`
      case 3:
        return `${this.#time()} ${random.pick(LEVELS)} ${this.#phrase(6)} ${random.below(1e6)}`
      case 4:
        return `${random.pick(DIRECTORIES)}/${this.#name()}.ts:${random.below(900)}: ${this.#phrase(5)}`
      case 5:
        return `${indent}{ "${random.pick(ENGLISH)}": ${random.below(1e5)}, "${this.#name()}": "${this.#phrase(3)}" },`
      default:
        return `${indent}export function ${this.#name()}(${random.pick(ENGLISH)}: string): ${this.#name()} {`
    }
  }

  #time() {
    const two = (low, high) => this.#random.between(low, high)
    return `2026-0${two(1, 9)}-${two(10, 28)}T0${two(0, 9)}:${two(10, 59)}:${two(10, 59)}Z`
  }

  #phrase(words) {
    const random = this.#random
    const chinese = random.chance(0.2)
    return Array.from({ length: words }, () => random.pickSkewed(chinese ? CHINESE : ENGLISH)).join(chinese ? '' : ' ')
  }

  /** Common lines are made before there are identifiers to pick. */
  #name() {
    return this.#identifiers === undefined ? this.#newIdentifier() : this.identifier()
  }

  #newIdentifier() {
    const random = this.#random
    const words = Array.from({ length: random.between(2, 3) }, () => random.pick(ENGLISH))
    if (random.chance(0.2)) return words.join('_')
    return words.map((word, index) => (index === 0 ? word : word[0].toUpperCase() + word.slice(1))).join('')
  }

  /** A secret, or what the rules have to look at twice. */
  secret() {
    const random = this.#random
    switch (random.below(11)) {
      case 0:
        return `export API_TOKEN=${random.hex(24)}`
      case 1:
        return `Authorization: Bearer ${random.hex(32)}`
      case 2:
        return `commit ${random.hex(40)}`
      case 3:
        return `curl https://user:${random.hex(10)}@host.example/v1?token=${random.hex(12)}&page=${random.below(9)}`
      case 4:
        return `{"password": "${random.hex(10)}", "name": "${random.pick(ENGLISH)}"}`
      case 5:
        return `ghp_${random.hex(36)}`
      case 6:
        return `sk-ant-${random.hex(30)}`
      case 7:
        return `aws_secret_access_key = ${random.hex(38)}`
      case 8:
        return `the bearer of this ${random.pick(ENGLISH)} and the secret: ${random.pick(ENGLISH)}`
      case 9:
        return `sk-${random.pick(ENGLISH)} keyboard=${random.pick(ENGLISH)} monkey: ${random.pick(ENGLISH)}`
      default:
        return `tokens=${random.below(9000)} maxTokens: ${random.below(9000)} key: ${random.pick(ENGLISH)}`
    }
  }

  unstable() {
    return this.#random.pick(FOLD_UNSTABLE)
  }
}
