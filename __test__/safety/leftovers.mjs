// What a call could leave behind in this process.

import { getEventListeners } from 'node:events'
import { existsSync, readFileSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** A wait that takes longer is a hang. */
const HANGS_MS = 10_000

/** Whether the system tells of threads and descriptors. */
export const TELLS = existsSync('/proc/self/task')

/** How many threads have a call of their own; those of the pool have numbers. */
export function threadsOfCalls() {
  return tasks().filter((name) => name === 'recall').length
}

/** How many threads the pool has. */
export function threadsOfPool() {
  return tasks().filter((name) => /^recall-\d+$/.test(name)).length
}

/** The descriptors of files below `root`. */
export function openBelow(root) {
  const folder = realpathSync(root)
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`)
      return path.startsWith(folder) ? [path.slice(folder.length + 1)] : []
    } catch {
      // It was that of the listing itself.
      return []
    }
  })
}

export const listenersOf = (signal) => getEventListeners(signal, 'abort').length

/** Waits until `count` is 0; gives how long that took. */
export async function gone(count) {
  const began = performance.now()
  while (count() !== 0) {
    if (HANGS_MS < performance.now() - began) throw new Error(`${count()} left after ${HANGS_MS} ms`)
    await setTimeout(1)
  }
  return performance.now() - began
}

function tasks() {
  return readdirSync('/proc/self/task').map((task) => {
    try {
      return readFileSync(`/proc/self/task/${task}/comm`, 'utf8').trim()
    } catch {
      // It ended meanwhile.
      return ''
    }
  })
}
