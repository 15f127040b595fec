import { cron, type CronLine, type Job } from '../../../jobs/job.ts'
import { bulkJobs } from '../bulk_imports/scheduling.ts'
import { failStandingStill } from '../bulk_imports/stuck.ts'
import { expireExports } from './export/expiry.ts'
import { exportGroup } from './export/job.ts'
import { importGroup } from './import/job.ts'
import { expireRelationExports } from '../relation_exports/expiry.ts'
import { exportRelations } from '../relation_exports/job.ts'

export const jobs: Job[] = [exportGroup, importGroup, exportRelations, ...bulkJobs] as Job[]

export const crons: CronLine[] = [
  cron('group_transfer.expire', '17 * * * *', async (ctx) => {
    await expireExports(ctx)
    await expireRelationExports(ctx)
  }),
  cron('group_transfer.stuck', '37 * * * *', failStandingStill),
]
