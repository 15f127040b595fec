import { performance } from 'node:perf_hooks'
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const MB = 1024 * 1024
/** How long the start's own garbage is to be expected. */
const START_MS = 3000
/** The part of the memory in which V8 makes new objects grows no further; more of it collects hardly less often. */
const MAX_NEW_BYTES = 32 * MB
const LOOK_MS = 2000
/** Idle at so many looks in a row, it is not just a pause between two requests. */
const IDLE_LOOKS = 10
/** Busy for less of the time than this, nobody notices that everything is looked through once. */
const IDLE_SHARE = 0.02
/** It is worth it when the heap grew by so much since. */
const WORTH_BYTES = 32 * MB

/**
 * Keeps the memory of the process small. The part in which V8 makes new objects does not grow before the start is over: what
 * a start throws away made it grow by 16 MB that an instance with little to do never gives back. Under load it grows, within
 * bounds. V8 collects while something is made, so after a load nothing would be given back: that is asked for when nobody
 * works any more.
 */
export function keepSmall(args: readonly string[]): void {
  if (!args.includes('serve')) return
  setFlagsFromString('--semi-space-growth-factor=1')
  // Only what is made afterwards knows it, and nothing but this file asks.
  setFlagsFromString('--expose-gc')
  let isStarting = true
  setTimeout(() => (isStarting = false), START_MS).unref()
  let busy = performance.eventLoopUtilization()
  let settled = 0
  let idleLooks = 0
  setInterval(() => {
    if (isStarting) return
    const isLarge = newBytes() >= MAX_NEW_BYTES
    setFlagsFromString(`--semi-space-growth-factor=${isLarge ? 1 : 2}`)
    const now = performance.eventLoopUtilization()
    const share = performance.eventLoopUtilization(now, busy).utilization
    busy = now
    settled ||= getHeapStatistics().total_heap_size
    idleLooks = share > IDLE_SHARE ? 0 : idleLooks + 1
    if (idleLooks < IDLE_LOOKS || getHeapStatistics().total_heap_size < settled + WORTH_BYTES) return
    collect()
    settled = getHeapStatistics().total_heap_size
  }, LOOK_MS).unref()
}

function newBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0
}

/** Looks through everything, and gives back what is free. */
function collect(): void {
  const gc = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void
  gc({ type: 'major', flavor: 'last-resort' })
}
