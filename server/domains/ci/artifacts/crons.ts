import { cron, type CronLine } from '../../../jobs/job.ts'
import { removeGone, removeOrphans } from './disk.ts'
import { expire } from './expiry.ts'

export const crons: CronLine[] = [
  cron('ci.expire_artifacts', '7 * * * *', expire),
  // What went together with its pipeline asked for nothing by itself.
  cron('ci.remove_gone_artifact_files', '*/10 * * * *', removeGone),
  cron('ci.remove_orphaned_artifacts', '50 3 * * *', removeOrphans),
]
