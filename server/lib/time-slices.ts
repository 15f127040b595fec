import { setImmediate } from 'node:timers/promises'

/** Longest stretch of work in milliseconds; everybody else waits for its end. */
const SLICE_MS = 8

/**
 * For long loops: `if (slices.isOver()) await slices.next()` lets others have their turn when a stretch of work took long
 * enough.
 */
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
