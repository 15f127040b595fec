import { cron, type CronLine } from '../../jobs/job.ts'
import { removeExpired } from './service.ts'

/** Expired memberships and shares end on their day. A nightly job deletes the rows and publishes the events. */
export const crons: CronLine[] = [cron('members.remove_expired', '5 0 * * *', removeExpired)]
