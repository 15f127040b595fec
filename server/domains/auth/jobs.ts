import { cron, type CronLine, type Job } from '../../jobs/job.ts'
import { removeExpiredSessions } from './store.ts'

export const jobs: readonly Job[] = []

export const crons: readonly CronLine[] = [
  cron('auth.remove_expired_sessions', '17 3 * * *', (ctx) => {
    removeExpiredSessions(ctx.db, ctx.now)
  }),
]
