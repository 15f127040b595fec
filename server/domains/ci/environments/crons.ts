import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { addDays } from '../../../lib/clock.ts'
import { cron, type CronLine } from '../../../jobs/job.ts'
import { deleteEnvironment } from './service.ts'
import { changeEnvironment, stopAll } from './stop.ts'
import * as store from './store.ts'

/** Rows per run. The next run, a minute later, takes the rest. */
const AT_ONCE = 500

function stopDue(ctx: Ctx): void {
  stopAll(ctx, store.dueToStop(ctx.db, ctx.now, AT_ONCE))
}

function deleteDue(ctx: Ctx): void {
  for (const row of store.dueToDelete(ctx.db, ctx.now, AT_ONCE)) deleteEnvironment(ctx, row)
}

/** Days after which an environment becomes available again when its stop jobs never finished. */
const PATIENCE = 7

function recover(ctx: Ctx): void {
  for (const row of store.stoppingSince(ctx.db, addDays(ctx.now, -PATIENCE)))
    tx(ctx.db, () => changeEnvironment(ctx, row, { state: 'available' }))
}

export const crons: CronLine[] = [
  cron('ci.stop_environments', '* * * * *', stopDue),
  cron('ci.delete_environments', '24 * * * *', deleteDue),
  cron('ci.recover_environments', '42 4 * * *', recover),
]
