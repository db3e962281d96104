#!/usr/bin/env node
// The command line of Recall. See help.js for what it does.
//
// It must load on any Node that knows ES modules: the addon, and whatever else
// needs a newer one, is imported only after the version has been looked at.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { parseArguments } from './arguments.js'
import { ERROR, runCommand } from './commands.js'
import { Failure, UsageFailure } from './failure.js'
import { HELP } from './help.js'
import { defaultRoot } from './roots.js'
import { runOnBundledNode, silenceSqliteWarning, thisNodeServes } from './runtime.js'
import { safeLine } from './safe.js'
import { terminalOf } from './terminal.js'

const argv = process.argv.slice(2)

// A reader that has seen enough (`| head`) is no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (error.code === 'EPIPE') process.exit()
    if (stream === process.stdout) process.stderr.write(`recall: cannot write the output: ${error.message}\n`)
    process.exit(ERROR)
  })
}

try {
  process.exitCode = await run()
} catch (error) {
  process.stderr.write(explained(error))
  process.exitCode = ERROR
}

async function run() {
  const command = parseArguments(argv)
  if (command.name === 'help') return print(HELP)
  if (command.name === 'version') return print(`${version()}\n`)
  if (!thisNodeServes()) return runOnBundledNode(fileURLToPath(import.meta.url), argv)
  const { root } = command.options
  const system = { platform: process.platform, env: process.env, home: homedir() }
  return runCommand(command, {
    root: root === undefined ? defaultRoot(system) : resolve(root),
    addon: await loadAddon(),
    terminal: terminalOf(process.stdout, process.env),
    write: (chunk) => process.stdout.write(chunk),
    warn: (text) => process.stderr.write(text),
    toTerminal: process.stdout.isTTY === true,
  })
}

async function loadAddon() {
  silenceSqliteWarning()
  try {
    return await import('../index.js')
  } catch (error) {
    throw new Failure(`the addon does not load; build it with "npm run build" (${error.message})`)
  }
}

function print(text) {
  process.stdout.write(text)
  return 0
}

function version() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}

function explained(error) {
  if (error instanceof UsageFailure) return `recall: ${safeLine(error.message)}\nTry "recall --help".\n`
  if (error instanceof Failure) return `recall: ${safeLine(error.message)}\n`
  const code = error?.code === undefined ? '' : ` (${error.code})`
  return `recall: internal error: ${safeLine(error?.message ?? error)}${code}\n`
}
