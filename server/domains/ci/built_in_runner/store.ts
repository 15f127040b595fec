import type { Database } from '../../../db/database.ts'
import type { JobRow } from '../jobs/store.ts'

const UNDER_WAY = `FROM ci_jobs INDEXED BY ci_jobs_running
  WHERE status IN ('running', 'canceling') AND kind = 'job' AND runner_id = ?`

/** Jobs that a runner is working on. */
export function jobsUnderWay(db: Database, runnerId: number): JobRow[] {
  return db.many<JobRow>(`SELECT * ${UNDER_WAY}`, runnerId)
}

/** How many jobs a runner is working on. */
export function countJobsUnderWay(db: Database, runnerId: number): number {
  return db.one<{ jobs: number }>(`SELECT count(*) AS jobs ${UNDER_WAY}`, runnerId)!.jobs
}
