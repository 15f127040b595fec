import { cron, type CronLine } from '../../jobs/job.ts'
import { removeUnfinished } from './service.ts'

export const crons: CronLine[] = [cron('snippets.remove_unfinished', '25 3 * * *', removeUnfinished)]
