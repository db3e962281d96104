// Numbers about numbers.

/** The value below which `share` of the samples lie (nearest rank). */
export function quantile(samples, share) {
  const sorted = [...samples].sort((left, right) => left - right)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
}

/** `{median, p99, samples}` of some milliseconds; `undefined` of none. */
export function summary(samples) {
  if (samples.length === 0) return undefined
  return { median: quantile(samples, 0.5), p99: quantile(samples, 0.99), samples: samples.length }
}
