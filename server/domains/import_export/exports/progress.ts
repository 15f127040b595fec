import { performance } from 'node:perf_hooks'

import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'

/** Returns the context with the current time: the context of a job keeps its start time, and exports take long. */
export function timed<C extends Pick<Ctx, 'now'>>(ctx: C): () => C {
  const begun = performance.now()
  return () => ({ ...ctx, now: isoTime(Date.parse(ctx.now) + Math.floor(performance.now() - begun)) })
}

/** The progress of an export. */
export interface Progress {
  readonly step: string
  readonly done: number
  readonly total: number
}

/** Minimum time between two stored reports of progress. */
const EVERY_MS = 1000

/** Reports the progress of a step at most once a second. */
export function throttled(store: (progress: Progress) => void): (progress: Progress) => void {
  let at = -Infinity
  let before = ''
  return ({ step, done, total }) => {
    const now = performance.now()
    if (step === before && now - at < EVERY_MS) return
    at = now
    before = step
    store({ step, done, total })
  }
}
