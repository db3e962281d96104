// One call: its promise, and the answers to what the native side asks.
//
// * Nothing in here throws to the host: a call gives a promise, whatever it got.
// * The promise settles when the signal fires, however long the work takes to
//   notice; what arrives after that is dropped.
// * While the work computes, the call holds the event loop. While a callback of
//   the host is pending it does not, as a plain promise would not, unless there
//   is a signal that may end the wait: that of a timeout does not hold the loop.
// * Long answers are handed on in slices, so that the loop turns in between.

const CALLBACKS = [
  'getPrivacyContext', 'listSessions', 'listCandidateSessions', 'countSearchableMessages',
  'readMessages', 'searchFacts', 'fetchMaterial',
]
// Lists up to this length are copied before the loop may turn, so that the host
// can do what it likes with its own.
const COPIED_ITEMS = 100_000
const LONGEST_TIMER = 2 ** 31 - 1

/**
 * Starts a call. The result holds what the native side needs; without
 * `receive` there is nothing to do: the promise has settled.
 */
const open = (request, deps, options, maxSessions) => {
  let settle
  const promise = new Promise((resolve, reject) => (settle = { resolve, reject }))
  const signal = usable(read(options, 'abortSignal'))
  const aborted = () => ({ ok: false, reason: abortedReason, message: abortedMessage })
  if (read(signal, 'aborted') === true) {
    settle.resolve(aborted())
    return { promise }
  }

  const host = {}
  for (const name of CALLBACKS) {
    const callback = read(deps, name)
    if (typeof callback === 'function') host[name] = callback
  }
  const patterns = ownPatterns(read(deps, 'syntheticTextPatterns'))
  const ask = (name, ...args) => Reflect.apply(host[name], deps, args)
  const withSignal = (question) =>
    signal === undefined ? question : { ...question, abortSignal: signal }

  const busy = setInterval(() => {}, LONGEST_TIMER)
  let settled = false
  // Tells the native side: an answer in parts, or that nobody waits any more.
  let tell = () => {}
  let unlisten = () => {}

  const onAbort = () => {
    tell('hang up')
    finish(() => settle.resolve(aborted()))
  }
  const finish = (outcome) => {
    if (settled) return
    settled = true
    clearInterval(busy)
    try {
      unlisten()
    } catch {
      // It is no longer of use: a settled call ignores its signal.
    }
    try {
      outcome()
    } catch (error) {
      settle.reject(error)
    }
  }

  const handOn = async (list, part) => {
    if (isMissing(list)) return tell('declined')
    if (!Array.isArray(list)) throw new TypeError('the answer is not an array')
    const length = list.length
    const copy = length <= COPIED_ITEMS ? [] : list
    for (let index = 0; copy !== list && index < length; index++) copy.push(list[index])
    for (let index = 0; index < length; index++) {
      if (isLong()) await nextTurn()
      if (settled) return
      part(copy[index], index)
    }
    tell('end')
  }
  const handOnOne = (json) => {
    tell('part', json)
    tell('end')
  }

  // Each asks the host one question, and gives what hands its answer on.
  const questions = {
    getPrivacyContext: () => [
      ask('getPrivacyContext'),
      (answer) => handOnOne(privacyText(answer)),
    ],
    listSessions: () => [
      ask('listSessions'),
      (answer) =>
        handOn(answer, (session, index) => tell('part', jsonObject(session, `session ${index}`))),
    ],
    listCandidateSessions: (sessionIds, terms) => [
      ask('listCandidateSessions', withSignal({ sessionIds, terms })),
      (answer) =>
        handOn(answer, (id, index) => {
          if (typeof id !== 'string') throw new TypeError(`candidate ${index} is not a string`)
          tell('part', id)
        }),
    ],
    countSearchableMessages: (sessionIds) => [
      ask('countSearchableMessages', { sessionIds }),
      (answer) => {
        if (isMissing(answer)) return tell('declined')
        if (!Number.isFinite(answer) || answer < 0) throw new TypeError('the count is no number')
        handOnOne(String(answer))
      },
    ],
    readMessages: ([sessionId]) => [
      ask('readMessages', sessionId, signal),
      (answer) =>
        handOn(answer, (message, index) => {
          const json = jsonObject(message, `message ${index}`)
          tell('part', json, patterns.length === 0 ? undefined : withoutMatches(json, patterns))
        }),
    ],
    searchFacts: ([sessionId], terms, max) => [
      ask('searchFacts', sessionId === undefined ? { terms, limit: max } : { sessionId, terms, limit: max }),
      (answer) =>
        handOn(answer, (fact, index) => tell('part', jsonObject(fact, `fact ${index}`))),
    ],
    fetchMaterial: ([sourceSessionId, materialId, targetSessionId]) => [
      ask('fetchMaterial', withSignal({ sourceSessionId, materialId, targetSessionId })),
      (answer) =>
        isMissing(answer) ? tell('declined') : handOnOne(jsonObject(answer, 'the material')),
    ],
  }

  const answer = async (name, ids, terms, max) => {
    // It was asked before the native side learned of the end.
    if (settled) return
    try {
      if (signal === undefined) busy.unref?.()
      const [pending, handOver] = questions[name](ids, terms, max)
      const value = await pending
      if (settled) return
      busy.ref?.()
      await handOver(value)
    } catch (error) {
      if (settled) return
      busy.ref?.()
      tell('failed', reason(error))
    }
  }

  /** What the native side says: how the call ended, or a question to the host. */
  const receive = (name, value, terms, max) => {
    switch (name) {
      case 'resolve':
        return finish(() => settle.resolve(value))
      case 'resolve json':
        return finish(() => settle.resolve(parse(value[0])))
      case 'reject': {
        const [code, message] = value
        const error = Object.assign(new Error(message), { name: 'RecallError', code })
        return finish(() => settle.reject(error))
      }
      default:
        answer(name, value, terms, max)
    }
  }

  const begin = (line) => {
    tell = line
    if (signal === undefined) return
    try {
      unlisten = listen(signal, onAbort)
      // It may have fired while the dependencies were read.
      if (read(signal, 'aborted') === true) onAbort()
    } catch {
      // A signal that cannot be listened to is an option of the wrong type.
    }
  }

  return {
    promise,
    receive,
    begin,
    request: requestText(request),
    callbacks: Object.keys(host),
    // An empty root would be the process's own directory.
    workspaceRoot: text(read(deps, 'workspaceRoot')) || undefined,
    activeSessionId: text(read(options, 'activeSessionId')),
    excludeTurnIds: texts(read(options, 'excludeTurnIds')),
    includeArchived: read(options, 'includeArchived') === true,
    maxSessions: limit(read(options, 'maxSessions')) ?? limit(maxSessions),
    explain: read(options, 'explain') === true,
    fullScan: read(options, 'fullScan') === true,
    maxResults: limit(read(options, 'maxResults')),
    budgetBytes: size(read(options, 'budgetBytes')),
  }
}
