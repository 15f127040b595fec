import type { Ctx } from '../../ctx.ts'
import { isoTime } from '../../lib/clock.ts'

/** The context with a time that goes on: a backup takes long, and a job's time is that of its beginning. */
export function ticking(ctx: Ctx): Ctx {
  const start = Date.parse(ctx.now)
  const began = performance.now()
  return {
    ...ctx,
    get now() {
      return isoTime(start + Math.trunc(performance.now() - began))
    },
  }
}
