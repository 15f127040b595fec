import { cron, type CronLine } from '../../jobs/job.ts'
import { removeExpiredStatuses } from './store-details.ts'

/** Expired statuses are hidden at once. This job deletes their rows. */
const clearStatuses = cron('users.clear_statuses', '*/10 * * * *', (ctx) =>
  removeExpiredStatuses(ctx.db, ctx.now),
)

export const crons: CronLine[] = [clearStatuses]
