import { cron, type CronLine, type Job } from '../../jobs/job.ts'
import { makeBackupJob } from './service-making.ts'
import { requestIfDue } from './service.ts'

export const jobs: Job[] = [makeBackupJob as Job]

/** Requests the scheduled backup of the day or week. */
const scheduled = cron('backups.scheduled', '0 * * * *', (ctx) => requestIfDue(ctx))

export const crons: CronLine[] = [scheduled]
