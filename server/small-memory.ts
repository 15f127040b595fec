import { performance } from 'node:perf_hooks'
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { setFlags } from './v8-flags.ts'

const MB = 1024 * 1024
/** The time in milliseconds in which the start produces garbage. */
const START_MS = 3000
/** Upper limit of V8's new space. A larger one hardly reduces the time of collections. */
const MAX_NEW_SPACE_BYTES = 16 * MB
/** The interval of the checks in milliseconds. */
const CHECK_MS = 2000
/** The number of idle checks in a row that count as more than a pause between two requests. */
const IDLE_CHECKS = 10
/** The load below which a full garbage collection is not noticeable. */
const IDLE_SHARE = 0.02
/** A collection frees enough memory only when the heap grew by at least this much. */
const MIN_GROWTH_BYTES = 32 * MB

/**
 * Keeps the memory of the process small. V8's new space does not grow during the start; its garbage would make it
 * grow by 16 MB that an idle instance never returns. Under load it and the rest of the heap grow within bounds. V8
 * returns memory only while code allocates, so an idle process requests a full collection.
 */
function limitMemory(args: readonly string[]): void {
  if (!args.includes('serve')) return
  setFlags()
  // Several threads would take longer together to collect so small a space.
  setFlagsFromString('--no-parallel-scavenge')
  let isStarting = true
  setTimeout(() => {
    isStarting = false
    setFlagsFromString('--parallel-scavenge')
  }, START_MS).unref()
  let previous = performance.eventLoopUtilization()
  let baselineSize = 0
  let idleChecks = 0
  setInterval(() => {
    if (isStarting) return
    const isLarge = newSpaceBytes() >= MAX_NEW_SPACE_BYTES
    setFlagsFromString(`--semi-space-growth-factor=${isLarge ? 1 : 2}`)
    const current = performance.eventLoopUtilization()
    const share = performance.eventLoopUtilization(current, previous).utilization
    previous = current
    baselineSize ||= getHeapStatistics().total_heap_size
    idleChecks = share > IDLE_SHARE ? 0 : idleChecks + 1
    if (idleChecks < IDLE_CHECKS || getHeapStatistics().total_heap_size < baselineSize + MIN_GROWTH_BYTES)
      return
    collect()
    baselineSize = getHeapStatistics().total_heap_size
  }, CHECK_MS).unref()
}

function newSpaceBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0
}

/** Runs a full collection and returns free memory to the system. */
function collect(): void {
  const gc = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void
  gc({ type: 'major', flavor: 'last-resort' })
}

// V8 discards compiled code that was stored under other flags. So the flags are set after the code of Node's own modules and of
// the bundle was read, and before the bundle runs.
limitMemory(process.argv)
