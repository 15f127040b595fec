import { performance } from 'node:perf_hooks'
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const MB = 1024 * 1024
/** The time in milliseconds in which the start produces garbage. */
const START_MS = 3000
/** Upper limit of V8's new space; a larger one collects hardly less often. */
const MAX_NEW_BYTES = 32 * MB
const LOOK_MS = 2000
/** The number of idle checks in a row that count as more than a pause between two requests. */
const IDLE_LOOKS = 10
/** The load below which a full garbage collection is not noticeable. */
const IDLE_SHARE = 0.02
/** A collection is only worth it when the heap grew by this much. */
const WORTH_BYTES = 32 * MB

/**
 * Keeps the memory of the process small. V8's new space does not grow during the start; its garbage would make it
 * grow by 16 MB that an idle instance never returns. Under load it may grow within bounds. V8 returns memory only while
 * code allocates, so an idle process requests a full collection.
 */
export function limitMemory(args: readonly string[]): void {
  if (!args.includes('serve')) return
  setFlagsFromString('--semi-space-growth-factor=1')
  // Only contexts created afterwards have `gc`, and only this file uses it.
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

/** Runs a full collection and returns free memory to the system. */
function collect(): void {
  const gc = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void
  gc({ type: 'major', flavor: 'last-resort' })
}
