import { cron, type CronLine } from '../../../jobs/job.ts'
import { removeOrphans } from './service.ts'

export const crons: CronLine[] = [cron('ci.remove_orphaned_secure_files', '35 3 * * *', removeOrphans)]
