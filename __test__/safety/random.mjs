// Seeded random choices: the same seed makes the same run.

/** A generator of numbers and choices. */
export class Random {
  #state

  constructor(seed) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ 0x6d2b79f5) >>> 0
  }

  /** A whole number below `end`. */
  below(end) {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end
  }

  /** True `share` times of a hundred. */
  chance(share) {
    return this.below(100) < share
  }

  pick(list) {
    return list[this.below(list.length)]
  }
}
