// Turns of the event loop, shared by all calls: however many hand long answers
// on at a time, together they take one slice of a turn.

// Not the globals: a host's test may have put fake timers there.
const timers = process.getBuiltinModule?.('node:timers') ?? globalThis
const { setImmediate, setInterval, clearInterval } = timers
const now = performance.now.bind(performance)

// Of one turn; the message that passes it is finished. The promise is 5 ms.
const SLICE_MS = 3

const waiting = []
let begun
const beginTurn = () => {
  begun = now()
  setImmediate(() => {
    begun = undefined
    const next = waiting.shift()
    if (next === undefined) return
    beginTurn()
    next()
  })
}

/** Whether this turn has done its share. */
const isLong = () => {
  if (begun === undefined) beginTurn()
  return SLICE_MS <= now() - begun
}

/** Waits for a turn of its own. Only after `isLong`: a turn has begun. */
const nextTurn = () => new Promise((resolve) => waiting.push(resolve))
