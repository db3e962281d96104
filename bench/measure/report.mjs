// The numbers as tables, in Markdown.

/** One section for a measured workspace. */
export function reportOf({ size, workspace, floors, queries, terms, appends, delay, memory, mismatches, slower }) {
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`
  const lines = [
    `### ${size}`,
    '',
    `${megabytes(floors.bytes)} of payload, ${workspace.events} events, ${workspace.sessions} Sessions.`,
    '',
    table(
      ['query', 'matched', 'twin', 'cold', 'cold p99', 'full scan', 'warm', 'warm p99', 'cold ×', 'warm ×', 'cold / read'],
      queries.map((query) => [
        query.name,
        query.matched,
        ms(query.twin?.median),
        ms(query.cold.median),
        ms(query.cold.p99),
        ms(query.full),
        ms(query.warm.median),
        ms(query.warm.p99),
        times(query.timesFaster?.cold),
        times(query.timesFaster?.warm),
        times(query.cold.median / floors.sqliteRows),
      ]),
    ),
    '',
    table(
      ['', 'median', 'p99', 'samples'],
      [
        [`${terms.count} random terms, warm, asked first`, ...cells(terms.first)],
        [`${terms.count} random terms, warm, asked again`, ...cells(terms.again)],
        ['random terms, cold', ...cells(terms.cold)],
        ['random terms, full scan', ...cells(terms.full)],
        ['random terms, twin', ...cells(terms.twin)],
        ['first answer after an append', ...cells(appends)],
      ],
    ),
    '',
    table(
      ['floor', 'ms'],
      [
        ['payload copied in memory', ms(floors.memcpy)],
        ['payload searched in memory', ms(floors.memmem)],
        ['payload loaded by SQLite, one connection', ms(floors.sqliteRows)],
        ['payload as JavaScript strings', ms(floors.jsRows)],
      ],
    ),
    '',
    table(
      ['event loop late by', 'mean', 'p99', 'max'],
      Object.entries(delay).map(([name, { mean, p99, max }]) => [name, ms(mean), ms(p99), ms(max)]),
    ),
    '',
    `Memory over a process that has loaded the addon: cold ${megabytes(memory.coldExtraRss)}, ` +
      `read ahead ${megabytes(memory.warmExtraRss)}, after all queries, appends and full scans ` +
      `${megabytes(memory.finalExtraRss)}, at most ${megabytes(memory.warmPeakExtraRss)}; ` +
      `the twin's process at most ${megabytes(memory.twinPeakRss)}.`,
  ]
  if (terms.timesFasterWarm !== undefined) {
    lines.push('', `Random terms, warm: ${times(terms.timesFasterWarm)} faster than the twin on the same terms.`)
  }
  if (0 < slower.length) lines.push('', 'Slower than the twin:', '', ...slower.map((text) => `* ${text}`))
  if (0 < mismatches.length) lines.push('', 'Answers that differ:', '', ...mismatches.map((text) => `* ${text}`))
  return lines.join('\n')
}

function table(head, rows) {
  const line = (row) => `| ${row.map((item) => item ?? '').join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

function cells(summary) {
  return summary === undefined ? ['', '', 0] : [ms(summary.median), ms(summary.p99), summary.samples]
}

function ms(value) {
  if (value === undefined) return undefined
  if (value < 10) return `${value.toFixed(2)} ms`
  return value < 1000 ? `${value.toFixed(0)} ms` : `${(value / 1000).toFixed(1)} s`
}

function times(value) {
  if (value === undefined) return undefined
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)}×`
}
