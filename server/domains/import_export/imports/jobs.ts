import type { Ctx } from '../../../ctx.ts'
import { cron, type CronLine } from '../../../jobs/job.ts'
import { isoTime } from '../../../lib/clock.ts'
import { failRun } from '../runs/service.ts'
import * as store from '../runs/store.ts'

/** An import of which nothing is heard for so long has failed (spec administration 6.4, stuck). */
const SILENCE_MS = 24 * 3600 * 1000

/** Gives up imports that say nothing any more. */
export function failStuck(ctx: Ctx): void {
  for (const projectId of store.silentSince(ctx.db, isoTime(Date.parse(ctx.now) - SILENCE_MS))) {
    failRun(ctx, projectId, 'Import timed out. Import took longer than 24 hours without a sign of life.')
  }
}

const stuck = cron('imports.fail_stuck', '17 * * * *', failStuck)

export const crons: CronLine[] = [stuck]
