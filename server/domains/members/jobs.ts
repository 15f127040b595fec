import { cron, type CronLine } from '../../jobs/job.ts'
import { removeExpired } from './leaving.ts'

/** Expired memberships and shares count for nothing at once; every night their rows go, and the event is published. */
export const crons: CronLine[] = [cron('members.remove_expired', '5 0 * * *', removeExpired)]
