import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { addDays } from '../../../lib/clock.ts'
import { cron, type CronLine } from '../../../jobs/job.ts'
import { deleteEnvironment } from './service.ts'
import { changeEnvironment, stopAll } from './stop.ts'
import * as store from './store.ts'

/** The maximum number of environments per run. The next run handles the rest. */
const BATCH = 500

function stopDue(ctx: Ctx): void {
  stopAll(ctx, store.dueToStop(ctx.db, ctx.now, BATCH))
}

function deleteDue(ctx: Ctx): void {
  for (const row of store.dueToDelete(ctx.db, ctx.now, BATCH)) deleteEnvironment(ctx, row)
}

/** The number of days after which an environment with unfinished stop jobs becomes available again. */
const MAX_STOPPING_DAYS = 7

function recover(ctx: Ctx): void {
  for (const row of store.stoppingSince(ctx.db, addDays(ctx.now, -MAX_STOPPING_DAYS)))
    tx(ctx.db, () => changeEnvironment(ctx, row, { state: 'available' }))
}

export const crons: CronLine[] = [
  cron('ci.stop_environments', '* * * * *', stopDue),
  cron('ci.delete_environments', '24 * * * *', deleteDue),
  cron('ci.recover_environments', '42 4 * * *', recover),
]
