// Seeded randomness: the same seed gives the same workspace on every machine.

/** A small fast counter (sfc32) generator. */
export class Random {
  #a
  #b
  #c
  #count = 1

  /** `seed`: any string. */
  constructor(seed) {
    const next = hashed(seed)
    this.#a = next()
    this.#b = next()
    this.#c = next()
    for (let warm = 0; warm < 12; warm += 1) this.unit()
  }

  /** A number in [0, 1). */
  unit() {
    const sum = (((this.#a + this.#b) | 0) + this.#count) | 0
    this.#count = (this.#count + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return (sum >>> 0) / 4_294_967_296
  }

  /** An integer in [0, limit). */
  below(limit) {
    return Math.floor(this.unit() * limit)
  }

  /** An integer in [low, high]. */
  between(low, high) {
    return low + this.below(high - low + 1)
  }

  chance(probability) {
    return this.unit() < probability
  }

  pick(list) {
    return list[this.below(list.length)]
  }

  /** Like `pick`, but the first items far more often: how words are used. */
  pickSkewed(list) {
    const unit = this.unit()
    return list[Math.floor(list.length * unit * unit * unit)]
  }

  /** Log-normal with this median; `sigma` spreads it. */
  logNormal(median, sigma) {
    const normal = Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit())
    return median * Math.exp(sigma * normal)
  }

  hex(length) {
    let text = ''
    while (text.length < length) text += this.below(0x1_000_000).toString(16).padStart(6, '0')
    return text.slice(0, length)
  }
}

/** Numbers from a string (FNV-1a, then mixed). */
function hashed(seed) {
  let state = 0x811c9dc5
  for (const byte of Buffer.from(seed)) state = Math.imul(state ^ byte, 0x01000193)
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return mixed ^ (mixed >>> 15)
  }
}
