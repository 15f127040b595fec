import { cron, type CronLine } from '../../../jobs/job.ts'
import { archiveLeft } from './archive.ts'

export const crons: CronLine[] = [cron('ci.archive_left_traces', '50 3 * * *', archiveLeft)]
