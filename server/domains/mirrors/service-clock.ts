import { performance } from 'node:perf_hooks'

import type { Ctx } from '../../ctx.ts'
import { isoTime } from '../../lib/clock.ts'

/** Makes a clock for long work: the time of the context plus the elapsed whole seconds. */
export function stopwatch({ now }: Pick<Ctx, 'now'>): () => string {
  const begun = performance.now()
  return () => isoTime(Date.parse(now) + Math.floor((performance.now() - begun) / 1000) * 1000)
}
