import { performance } from 'node:perf_hooks'

/** One row of the table: the measured value, its baseline, and whether the goal of quality.md is met. */
export interface Result {
  row: number
  work: string
  baseline: string
  measured: string
  /** The measured value divided by the baseline, if the goal is a ratio. */
  ratio: number | null
  goal: string
  met: boolean
}

/** The median. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}

/** The duration of `work` in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Times two operations in turn, so that noise affects both equally. Returns the medians. */
export async function inTurn(
  rounds: number,
  first: () => Promise<number>,
  second: () => Promise<number>,
): Promise<[number, number]> {
  const a: number[] = []
  const b: number[] = []
  for (let round = 0; round < rounds; round++) {
    a.push(await first())
    b.push(await second())
  }
  return [median(a), median(b)]
}

/** Formats a number with three significant digits. */
export function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
