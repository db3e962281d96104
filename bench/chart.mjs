// Draws the numbers of a benchmark as an SVG.
//
//   node bench/chart.mjs RESULT.json CHART.svg

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { quantile } from './measure/statistics.mjs'

const WIDTH = 860
const LEFT = 250
const RIGHT = 90
const BAR = 18
const GAP = 6
const GROUP_GAP = 34
const TOP = 64
const FONT = 'font-family="system-ui, sans-serif"'
const COLOURS = { twin: '#9aa3ad', cold: '#3b82c4', warm: '#1f9d6b', append: '#c98a1b' }

/** The chart of a result: for each workspace the median of the queries, on a logarithmic scale. */
export function chartOf({ machine, workspaces }) {
  const groups = workspaces.map((workspace) => ({ title: `${workspace.size} of payload`, bars: barsOf(workspace) }))
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value))
  const low = 10 ** Math.floor(Math.log10(Math.min(...values)))
  const high = 10 ** Math.ceil(Math.log10(Math.max(...values)))
  const scale = (value) => ((WIDTH - LEFT - RIGHT) * Math.log(value / low)) / Math.log(high / low)

  const parts = []
  let y = TOP
  for (const { title, bars } of groups) {
    parts.push(text(16, y + 13, title, 'font-weight="600"'))
    for (const { label, value, colour } of bars) {
      parts.push(text(LEFT - 10, y + 13, label, 'text-anchor="end"'))
      const width = Math.max(1, scale(value)).toFixed(1)
      parts.push(`<rect x="${LEFT}" y="${y}" width="${width}" height="${BAR}" fill="${colour}"/>`)
      parts.push(text(LEFT + scale(value) + 8, y + 13, shown(value)))
      y += BAR + GAP
    }
    y += GROUP_GAP - GAP
  }
  const bottom = y - GROUP_GAP + GAP
  const lines = decades(low, high).map((value) => {
    const x = (LEFT + scale(value)).toFixed(1)
    return (
      `<line x1="${x}" y1="${TOP - 8}" x2="${x}" y2="${bottom}" stroke="#d5d9de" stroke-width="1"/>` +
      text(x, TOP - 14, shown(value), 'text-anchor="middle" fill="#6b7480"')
    )
  })
  const footer = `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ${machine.date.slice(0, 10)}`
  const height = bottom + 40
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" ${FONT} font-size="13" fill="#20262d">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(16, 26, 'Time to an answer, median over the queries (logarithmic)', 'font-size="16" font-weight="600"'),
    ...lines,
    ...parts,
    text(16, height - 14, footer, 'font-size="11" fill="#6b7480"'),
    '</svg>',
    '',
  ].join('\n')
}

function barsOf({ queries, terms, appends }) {
  const median = (pick) => {
    const values = queries.map(pick).filter((value) => value !== undefined)
    return values.length === 0 ? undefined : quantile(values, 0.5)
  }
  return [
    { label: 'plain JavaScript', value: median((query) => query.twin?.median), colour: COLOURS.twin },
    { label: 'cold: fresh process', value: median((query) => query.cold.median), colour: COLOURS.cold },
    { label: 'after an append', value: appends.median, colour: COLOURS.append },
    { label: 'warm', value: median((query) => query.warm.median), colour: COLOURS.warm },
    { label: `warm, ${terms.count} random terms`, value: terms.first.median, colour: COLOURS.warm },
  ].filter(({ value }) => value !== undefined)
}

function decades(low, high) {
  const values = []
  for (let value = low; value <= high * 1.001; value *= 10) values.push(value)
  return values
}

function shown(ms) {
  if (1000 <= ms) return `${Number((ms / 1000).toPrecision(2))} s`
  if (ms < 1) return `${Number((ms * 1000).toPrecision(2))} µs`
  return `${Number(ms.toPrecision(2))} ms`
}

function text(x, y, content, attributes = '') {
  const escaped = String(content).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<text x="${Number(x).toFixed(1)}" y="${y}" ${attributes}>${escaped}</text>`
}

if (process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1]) {
  const [, , input, output] = process.argv
  if (input === undefined || output === undefined) throw new Error('usage: node bench/chart.mjs RESULT.json CHART.svg')
  writeFileSync(output, chartOf(JSON.parse(readFileSync(input, 'utf8'))))
}
