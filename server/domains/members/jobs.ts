import { cron, type CronLine } from '../../jobs/job.ts'
import { removeExpired } from './service.ts'

/** Expired memberships and shares have no effect from their day on. A nightly job removes the rows and publishes the events. */
export const crons: CronLine[] = [cron('members.remove_expired', '5 0 * * *', removeExpired)]
