// The JavaScript side of a call. Run once per environment; gives `{ open, messageText }`.
//
// Everything that belongs to the host (request, dependencies, options, signal,
// callbacks and what they answer) is touched here and nowhere else: a getter
// that throws, a proxy or a callback of any kind meets a `try` in this file.
// What goes on to the native side is text, numbers and functions of our own.
//
// * Nothing in here throws to the host: a call gives a promise, whatever it got.
// * The promise settles when the signal fires, however long the work takes to
//   notice; what arrives after that is dropped.
// * While the work computes, the call holds the event loop. While a callback of
//   the host is pending it does not, as a plain promise would not, unless there
//   is a signal that may end the wait: that of a timeout does not hold the loop.
// * Long answers are handed on in slices, so that the loop turns in between.
(abortedReason, abortedMessage) => {
  'use strict'

  // Not the globals: a host's test may have put fake timers there.
  const timers = process.getBuiltinModule?.('node:timers') ?? globalThis
  const { setImmediate, setInterval, clearInterval } = timers
  const now = performance.now.bind(performance)
  const { parse, stringify } = JSON

  // What a request may hold; anything else is ignored, so it is not read.
  const REQUEST_FIELDS = [
    'terms', 'question', 'limit', 'sessionId', 'since', 'until',
    'anchor', 'anchorMessageId', 'before', 'after',
    'id', 'materialId', 'bytes', 'source', 'query',
  ]
  // Longer lists and texts are too long for any field; this much shows it.
  const REQUEST_ITEMS = 64
  const REQUEST_TEXT = 4096
  // Turn ids read at most: an iterable may have no end.
  const EXCLUDED_TURNS = 10_000
  // Lists up to this length are copied before the loop may turn, so that the
  // host can do what it likes with its own.
  const COPIED_ITEMS = 100_000
  // Work in one turn of the event loop, over all calls; the message that passes it
  // is finished. The promise is 5 ms.
  const SLICE_MS = 3
  // Of an error's text, in UTF-16 units.
  const ERROR_TEXT = 500
  const LONGEST_TIMER = 2 ** 31 - 1

  const CALLBACKS = [
    'getPrivacyContext', 'listSessions', 'listCandidateSessions', 'countSearchableMessages',
    'readMessages', 'searchFacts', 'fetchMaterial',
  ]

  const isObject = (value) => typeof value === 'object' && value !== null
  const isMissing = (value) => value === undefined || value === null

  /** `object[key]`, or `undefined` when that fails. */
  const read = (object, key) => {
    try {
      return isMissing(object) ? undefined : object[key]
    } catch {
      return undefined
    }
  }

  // ── The request ────────────────────────────────────────────────────────────

  /** A value of a request field; what is no JSON stays a value of the wrong type. */
  const plain = (value) => {
    switch (typeof value) {
      case 'string':
        return value.length <= REQUEST_TEXT ? value : value.trim().slice(0, REQUEST_TEXT)
      case 'number':
      case 'boolean':
        return value
      case 'undefined':
        return undefined
      default:
        if (value === null) return null
        return Array.isArray(value) ? [] : {}
    }
  }

  const items = (list) => {
    const copy = []
    const length = Math.min(list.length, REQUEST_ITEMS)
    for (let index = 0; index < length; index++) copy.push(plain(list[index]) ?? null)
    return copy
  }

  /** The request as JSON; `undefined` when it cannot be read. */
  const requestText = (request) => {
    try {
      if (!isObject(request) || Array.isArray(request)) return stringify(plain(request))
      const copy = {}
      for (const field of REQUEST_FIELDS) {
        const value = request[field]
        copy[field] = Array.isArray(value) ? items(value) : plain(value)
      }
      return stringify(copy)
    } catch {
      return undefined
    }
  }

  // ── Options: one of the wrong type counts as absent ────────────────────────

  const text = (value) => (typeof value === 'string' ? value : undefined)

  /** A whole number of at least 1; `Infinity` is no limit. */
  const limit = (value) =>
    typeof value === 'number' && 1 <= value && value !== Infinity
      ? Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER)
      : undefined

  /** The strings of an iterable, up to where reading it fails. */
  const texts = (iterable) => {
    if (typeof iterable === 'string') return [iterable]
    const found = []
    try {
      let count = 0
      for (const value of iterable ?? []) {
        if (typeof value === 'string') found.push(value)
        if (EXCLUDED_TURNS <= ++count) break
      }
    } catch {
      return found
    }
    return found
  }

  /** The signal, when it can be listened to or has fired. */
  const usable = (signal) => {
    if (read(signal, 'aborted') === true) return signal
    const listens = typeof read(signal, 'addEventListener') === 'function'
    return listens && typeof read(signal, 'removeEventListener') === 'function' ? signal : undefined
  }

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

  // ── Turns of the event loop, shared by all calls ───────────────────────────

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

  // ── Messages ───────────────────────────────────────────────────────────────

  /** Patterns of our own, so that the host's `lastIndex` stays where it is. */
  const ownPatterns = (patterns) => {
    const own = []
    try {
      if (!Array.isArray(patterns)) return own
      for (const pattern of patterns) {
        if (Object.prototype.toString.call(pattern) !== '[object RegExp]') continue
        const flags = pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`
        own.push(new RegExp(pattern.source, flags))
      }
    } catch {
      return own
    }
    return own
  }

  /** The message with what `patterns` match removed; `undefined` when that is nothing. */
  const withoutMatches = (json, patterns) => {
    const message = parse(json)
    let changed = false
    const strip = (holder, key) => {
      let value = holder[key]
      for (const pattern of patterns) value = value.replace(pattern, '')
      if (value === holder[key]) return
      holder[key] = value
      changed = true
    }
    for (const key of ['text', 'displayText', 'intent']) {
      if (typeof message[key] === 'string') strip(message, key)
    }
    // A stack, not recursion: content is as deep as the host likes.
    const open = isObject(message.content) ? [message.content] : []
    for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
      for (const key of Object.keys(holder)) {
        if (holder === message.content && key === 'kind') continue
        if (typeof holder[key] === 'string') strip(holder, key)
        else if (isObject(holder[key])) open.push(holder[key])
      }
    }
    return changed ? stringify(message) : undefined
  }

  const jsonObject = (value, what) => {
    if (!isObject(value) || Array.isArray(value)) throw new TypeError(`${what} is not an object`)
    const json = stringify(value)
    if (json === undefined || json[0] !== '{') throw new TypeError(`${what} has no JSON form`)
    return json
  }

  /** Of the privacy context, what is asked of it: it may be of any size. */
  const privacyText = (context) =>
    isObject(context) && !Array.isArray(context)
      ? stringify({ incognitoActive: plain(context.incognitoActive) })
      : (stringify(plain(context)) ?? 'null')

  const reason = (error) => {
    const message = read(error, 'message')
    if (typeof message === 'string' && message !== '') return message.slice(0, ERROR_TEXT)
    return typeof error === 'string' ? error.slice(0, ERROR_TEXT) : 'it failed without a message'
  }

  // ── Calls ──────────────────────────────────────────────────────────────────

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
    }
  }

  /** A message as JSON; `undefined` when it is no object that has such a form. */
  const messageText = (message) => {
    try {
      return jsonObject(message, 'the message')
    } catch {
      return undefined
    }
  }

  return { open, messageText }
}
