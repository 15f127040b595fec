import { setImmediate } from 'node:timers/promises'

/** The length of a time slice in milliseconds, during which all other work waits. */
const SLICE_MS = 8

/** For long loops: `if (slices.isOver()) await slices.next()` lets other work run. */
export class TimeSlices {
  #since = performance.now()

  isOver(): boolean {
    return performance.now() - this.#since > SLICE_MS
  }

  async next(): Promise<void> {
    await setImmediate()
    this.#since = performance.now()
  }
}
