import { cron, type CronLine } from '../../jobs/job.ts'
import { deleteMarked } from './service-deletion.ts'

/** Deletes, every night, the groups with an expired delay of deletion. */
export const crons: CronLine[] = [cron('groups.delete_marked', '25 0 * * *', deleteMarked)]
