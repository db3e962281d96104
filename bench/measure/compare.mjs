// Answers must be equal, whoever gives them and however.

/** Where two answers differ, or `undefined`. How the Sessions were narrowed is free. */
export function difference(left, right) {
  return firstDifference(essence(left), essence(right), 'answer')
}

/** An answer as JSON, without what says how it was found. */
function essence(answer) {
  const { scannedFully, coverage, ...rest } = answer
  if (coverage === undefined) return JSON.parse(JSON.stringify(rest))
  const { narrowed, ...covered } = coverage
  return JSON.parse(JSON.stringify({ ...rest, coverage: covered }))
}

function firstDifference(left, right, path) {
  if (Object.is(left, right)) return undefined
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') {
    return `${path}: ${shown(left)} and ${shown(right)}`
  }
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const found = firstDifference(left[key], right[key], `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

function shown(value) {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`
}
