import { cron, type CronLine, type Job } from '../../jobs/job.ts'
import { settlePush } from './service-git-target.ts'
import { removeUnfinished } from './service.ts'

export const jobs: Job[] = [settlePush]

export const crons: CronLine[] = [
  cron('snippets.remove_unfinished', '25 3 * * *', (ctx) => removeUnfinished(ctx)),
]
