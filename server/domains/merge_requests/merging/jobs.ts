import { cron, type CronLine, type Job } from '../../../jobs/job.ts'
import { autoMergeJob } from './auto-merge.ts'
import { checkMergeability } from './check.ts'
import { recoverMerges } from './complete.ts'
import { rebaseJob } from './rebase.ts'
import { removeBranchJob } from './source-branch.ts'

export const jobs: Job[] = [checkMergeability, autoMergeJob, rebaseJob, removeBranchJob]

export const crons: CronLine[] = [
  cron('merge_requests.recover_merges', '*/2 * * * *', (ctx) => recoverMerges(ctx)),
]
