// Listening to the caller's signal.

// One listener a signal, however many calls it serves: Node warns of a leak
// when it sees more than ten.
const listeners = new WeakMap()

/** Calls `onAbort` when the signal fires; gives what takes it off again. */
const listen = (signal, onAbort) => {
  let entry = listeners.get(signal)
  if (entry === undefined) {
    const calls = new Set()
    const listener = () => [...calls].forEach((call) => call())
    signal.addEventListener('abort', listener)
    entry = { calls, listener }
    listeners.set(signal, entry)
  }
  const { calls, listener } = entry
  calls.add(onAbort)
  return () => {
    if (!calls.delete(onAbort) || calls.size !== 0) return
    listeners.delete(signal)
    signal.removeEventListener('abort', listener)
  }
}
