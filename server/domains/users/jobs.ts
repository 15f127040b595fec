import { cron, type CronLine } from '../../jobs/job.ts'
import { removeOver } from './statuses/store.ts'

/** A status whose time is over is not shown any more; this takes the rows away. */
const clearStatuses = cron('users.clear_statuses', '*/10 * * * *', (ctx) => removeOver(ctx.db, ctx.now))

export const crons: CronLine[] = [clearStatuses]
