// What the place can show that the output goes to.

/** Lines narrower than this are not worth breaking. */
const NARROWEST = 20

/**
 * @typedef {object} Terminal
 * @property {boolean} colour whether styles may be used
 * @property {number} columns where lines break; `Infinity` where they do not
 */

/**
 * Looks at a stream and the environment.
 *
 * Colours: FORCE_COLOR decides when set, then NO_COLOR, then whether it is a
 * terminal that knows any. Lines break at the width of a terminal; a pipe gets
 * whole lines, unless COLUMNS is in the environment.
 *
 * @param {{isTTY?: boolean, columns?: number}} stream
 * @param {Record<string, string | undefined>} env
 * @returns {Terminal}
 */
export function terminalOf(stream, env) {
  return { colour: usesColour(stream, env), columns: columnsOf(stream, env) }
}

/**
 * Styles as functions: text in, text out. Without colour they change nothing.
 *
 * @param {boolean} colour
 */
export function styles(colour) {
  const style = (on, off) => (colour ? (text) => `\u001b[${on}m${text}\u001b[${off}m` : (text) => text)
  return {
    title: style('1', '22'),
    dim: style('2', '22'),
    role: style('36', '39'),
    hit: style('1;33', '22;39'),
    warning: style('33', '39'),
    error: style('31', '39'),
  }
}

function usesColour(stream, env) {
  const forced = env.FORCE_COLOR
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  if (env.NO_COLOR) return false
  return stream.isTTY === true && env.TERM !== 'dumb'
}

function columnsOf(stream, env) {
  if (stream.isTTY === true && 0 < stream.columns) return Math.max(NARROWEST, stream.columns)
  const told = env.COLUMNS ?? ''
  return /^\d{1,4}$/.test(told) ? Math.max(NARROWEST, Number(told)) : Infinity
}
