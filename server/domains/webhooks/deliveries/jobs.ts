import type { Ctx } from '../../../ctx.ts'
import { cron, type CronLine, type Job } from '../../../jobs/job.ts'
import { addDays } from '../../../lib/clock.ts'
import { deliver } from './deliver.ts'
import * as store from './store.ts'

/** The log goes back so far (spec administration 3.7); events are kept a day longer than what tells of them. */
const DAYS = 2

/** Rows in one statement, so that nobody waits long for the one writer. */
const BATCH = 500

export const jobs: Job[] = [deliver as Job]

/** Forgets what is too old. */
export function removeOld(ctx: Ctx): void {
  while (store.removeOld(ctx.db, addDays(ctx.now, -DAYS), addDays(ctx.now, -DAYS - 1), BATCH) === BATCH);
}

export const crons: CronLine[] = [cron('webhooks.remove_old', '41 * * * *', removeOld)]
