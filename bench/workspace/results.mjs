// What tools answer: most of the bytes of a workspace.

/** Kinds of results and how often they come. */
const KINDS = [
  [0.24, terminal],
  [0.22, fileBody],
  [0.44, records],
  [0.05, webSearch],
  [0.03, diff],
  [0.02, image],
]
const MEDIAN_BYTES = 4_000
const SPREAD = 1.05
const MAX_BYTES = 60_000

/** A result of some kind and size. `extra`: lines that have to stand in it. */
export function toolResult(random, prose, { topics, extra, sessionId }) {
  const bytes = Math.min(MAX_BYTES, Math.max(60, random.logNormal(MEDIAN_BYTES, SPREAD)))
  let unit = random.unit()
  for (const [share, make] of KINDS) {
    if (unit < share) return make(random, prose, { bytes, topics, extra, sessionId })
    unit -= share
  }
  return fileBody(random, prose, { bytes, topics, extra })
}

function terminal(random, prose, { bytes, topics, extra }) {
  const failed = random.chance(0.1)
  return {
    cmd: `npm run ${prose.identifier()}`,
    cwd: '/home/dev/project',
    exitCode: failed ? random.between(1, 3) : 0,
    kind: 'terminal',
    output: {
      mode: 'pipes',
      redacted: false,
      stderr: failed ? prose.lines(200, topics) : '',
      stderrTruncated: false,
      stdout: withExtra(prose.lines(bytes, topics), extra),
      stdoutTruncated: false,
    },
    status: failed ? 'failed' : 'completed',
  }
}

function fileBody(random, prose, { bytes, topics, extra }) {
  return { kind: 'text', text: withExtra(prose.lines(bytes, topics), extra) }
}

/** Structured answers: half of their bytes are keys, numbers and flags. */
function records(random, prose, { bytes, topics, extra }) {
  const rows = []
  let size = 0
  while (size < bytes) {
    const row = {
      column: random.below(160),
      endColumn: random.below(160),
      endLine: random.below(4000),
      isDeclaration: random.chance(0.5),
      isDeprecated: random.chance(0.1),
      line: random.below(4000),
      modifiedAtMs: 1_780_000_000_000 + random.below(20_000_000_000),
      path: prose.path(),
      rank: random.below(1_000_000) / 1_000_000,
      referenceCount: random.below(500),
      sizeInBytes: random.below(1_000_000),
      symbol: prose.identifier(),
      text: random.chance(0.5) ? prose.sentence(topics) : '',
    }
    rows.push(row)
    size += 330
  }
  if (extra.length !== 0) rows.push({ line: 0, path: prose.path(), text: extra.join('\n') })
  return { kind: 'json', value: { durationMs: random.below(4000), rows, total: rows.length, truncated: false } }
}

function webSearch(random, prose, { bytes, topics, extra }) {
  const rows = []
  for (let size = 0; size < bytes; size += 600) {
    rows.push({
      snippet: prose.paragraphs(5, topics),
      source: 'web',
      title: prose.sentence(topics),
      url: `https://${prose.identifier()}.example/${prose.path()}?page=${random.below(90)}`,
    })
  }
  return { kind: 'web_search', provider: 'search', query: [prose.sentence(topics), ...extra].join('\n'), rows }
}

function diff(random, prose, { bytes, topics, extra }) {
  const lines = withExtra(prose.lines(bytes, topics), extra).split('\n')
  const marked = lines.map((line) => `${random.pick([' ', ' ', '+', '-'])}${line}`).join('\n')
  const path = prose.path()
  return { diff: `--- a/${path}\n+++ b/${path}\n${marked}`, kind: 'file_diff', paths: [path] }
}

function image(random, prose, { sessionId }) {
  const ref = { kind: 'session_file', relativePath: `art_${random.hex(20)}`, sessionId }
  return { kind: 'image', mimeType: 'image/png', ref }
}

function withExtra(text, extra) {
  return extra.length === 0 ? text : `${extra.join('\n')}\n${text}`
}
