// docs/contract is what the comments cite: every file and section that one names is there.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const SOURCES = fileURLToPath(new URL('../src', import.meta.url))
const CONTRACT = new URL('../docs/contract/', import.meta.url)
const CITED = /`?((?:[\w-]+\/)*(?:semantics|GOLDEN|storage|projection|sqlite-in-process|design)\.md)`?((?:,? (?:and )?\d+(?:\.\d+)?)*)/g

const sources = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => /\.(rs|m?js|ts)$/.test(name))
    .map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')])

const sections = (file) =>
  new Set([...readFileSync(new URL(file, CONTRACT), 'utf8').matchAll(/^#+ (\d+(?:\.\d+)?)\.? /gm)].map(([, number]) => number))

test('every section that a comment cites is in docs/contract', () => {
  let cited = 0
  for (const [name, text] of sources(SOURCES)) {
    for (const [, file, numbers] of text.matchAll(CITED)) {
      const known = sections(file)
      for (const number of numbers.match(/[\d.]+/g) ?? []) {
        assert.ok(known.has(number), `${name} cites ${file} ${number}`)
        cited += 1
      }
    }
  }
  assert.ok(40 < cited, `${cited} citations`)
})

test('links inside docs/contract lead somewhere', () => {
  for (const name of readdirSync(CONTRACT, { recursive: true }).filter((name) => name.endsWith('.md'))) {
    const text = readFileSync(new URL(name, CONTRACT), 'utf8')
    for (const [, link] of text.matchAll(/\]\(([^)#:]+\.md)\)/g)) {
      readFileSync(new URL(link, new URL(name, CONTRACT)))
    }
  }
})
