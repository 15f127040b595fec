import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'
import { TOO_LONG } from '../reasons.ts'
import { supersede } from '../running.ts'
import { failed } from './states.ts'
import { stuck } from './store.ts'

const HOUR_MS = 3_600_000

/** Updates that take longer than they may have failed (spec administration 5.2, Max run). Called every few minutes. */
export function failStuck(ctx: Ctx): void {
  const ago = (ms: number) => isoTime(Date.parse(ctx.now) - ms)
  for (const mirror of stuck(ctx.db, { first: ago(3 * HOUR_MS), later: ago(HOUR_MS) })) {
    failed(ctx, mirror, TOO_LONG)
    supersede(ctx, `push:${mirror.id}`)
  }
}
