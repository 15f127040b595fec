import { setImmediate as nextTurn } from 'node:timers/promises'

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

/** Forgets what is too old, a part at a time. */
export async function removeOld(ctx: Ctx): Promise<void> {
  const [before, eventsBefore] = [addDays(ctx.now, -DAYS), addDays(ctx.now, -DAYS - 1)]
  while (store.removeOld(ctx.db, before, eventsBefore, BATCH) === BATCH) await nextTurn()
}

export const crons: CronLine[] = [cron('webhooks.remove_old', '41 * * * *', removeOld)]
