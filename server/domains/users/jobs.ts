import { cron, type CronLine } from '../../jobs/job.ts'
import { removeExpiredStatuses } from './store-details.ts'

/** Deletes the rows of expired statuses. Requests ignore them from the moment of their expiry. */
const clearStatuses = cron('users.clear_statuses', '*/10 * * * *', (ctx) =>
  removeExpiredStatuses(ctx.db, ctx.now),
)

export const crons: CronLine[] = [clearStatuses]
