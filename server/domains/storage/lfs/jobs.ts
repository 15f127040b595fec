import { cron, type CronLine } from '../../../jobs/job.ts'
import { removeOrphans, removeUnreferred } from './objects.ts'

export const crons: CronLine[] = [
  cron('lfs.remove_unreferred', '25 4 * * *', removeUnreferred),
  cron('lfs.remove_orphans', '55 4 * * 0', removeOrphans),
]
