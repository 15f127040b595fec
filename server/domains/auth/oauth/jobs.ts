import { cron, type CronLine } from '../../../jobs/job.ts'
import { addDays } from '../../../lib/clock.ts'
import { removeEndedBefore, removeGrantsBefore } from './tokens/store.ts'

/** Days that expired codes and tokens are kept, so that their reuse is detected. */
const KEPT_DAYS = 30

export const crons: readonly CronLine[] = [
  cron('oauth.remove_ended', '29 3 * * *', (ctx) => {
    const moment = addDays(ctx.now, -KEPT_DAYS)
    removeEndedBefore(ctx.db, moment)
    removeGrantsBefore(ctx.db, moment)
  }),
]
