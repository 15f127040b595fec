import { cron, type CronLine } from '../../jobs/job.ts'
import { removeExpired } from './service.ts'

/**
 * Deletes the rows of expired memberships and shares every night, and publishes the events. They have no effect from
 * the start of their expiry date.
 */
export const crons: CronLine[] = [cron('members.remove_expired', '5 0 * * *', removeExpired)]
