import { cron, type CronLine, type Job } from '../../../../jobs/job.ts'
import { exportProject } from './export-job.ts'
import { expireExports, sweepExports } from './files.ts'
import { uploadExport } from './upload-job.ts'

export const jobs: Job[] = [exportProject, uploadExport] as Job[]

export const crons: CronLine[] = [
  cron('transfer.expire_exports', '13 * * * *', async (ctx) => {
    await expireExports(ctx)
    await sweepExports(ctx)
  }),
]
