import type { Database } from '../../../db/database.ts'
import type { JobRow } from '../jobs/store.ts'

const FROM_RUNNING = `FROM ci_jobs INDEXED BY ci_jobs_running
  WHERE status IN ('running', 'canceling') AND kind = 'job' AND runner_id = ?`

/** The jobs that a runner is running. */
export function runningJobs(db: Database, runnerId: number): JobRow[] {
  return db.many<JobRow>(`SELECT * ${FROM_RUNNING}`, runnerId)
}

/** The number of jobs that a runner is running. */
export function countRunningJobs(db: Database, runnerId: number): number {
  return db.one<{ jobs: number }>(`SELECT count(*) AS jobs ${FROM_RUNNING}`, runnerId)!.jobs
}
