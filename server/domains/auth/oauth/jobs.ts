import { cron, type CronLine } from '../../../jobs/job.ts'
import { addDays } from '../../../lib/clock.ts'
import { removeEndedBefore, removeGrantsBefore } from './tokens/store.ts'

/** The number of days after which expired codes and tokens are deleted. Until then their reuse is detected. */
const RETENTION_DAYS = 30

export const crons: readonly CronLine[] = [
  cron('oauth.remove_ended', '29 3 * * *', (ctx) => {
    const cutoff = addDays(ctx.now, -RETENTION_DAYS)
    removeEndedBefore(ctx.db, cutoff)
    removeGrantsBefore(ctx.db, cutoff)
  }),
]
