import { cron, type CronLine } from '../../jobs/job.ts'
import { removeUnreferred } from './objects.ts'

export const crons: CronLine[] = [cron('lfs.remove_unreferred', '25 4 * * *', removeUnreferred)]
