import { cron, type CronLine } from '../../jobs/job.ts'
import { deleteMarked } from './service-deletion.ts'

/** Every night the groups go that were marked long enough ago. */
export const crons: CronLine[] = [cron('groups.delete_marked', '25 0 * * *', deleteMarked)]
