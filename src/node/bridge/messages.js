// What a callback answered, as text for the native side. Throws where an answer
// is of the wrong type: the caller says so to the native side.

// Of an error's text, in UTF-16 units.
const ERROR_TEXT = 500

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

/** A message as JSON; `undefined` when it is no object that has such a form. */
const messageText = (message) => {
  try {
    return jsonObject(message, 'the message')
  } catch {
    return undefined
  }
}
