import { jsonList, type Database } from '../../../db/database.ts'
import type { JobRow } from '../jobs/store.ts'

/** A manual job that stops an environment. */
export type StopAction = JobRow & { readonly environment_id: number }

/**
 * Selects the ID of the newest deployment with a status. Deployments without a job are left out, because they belong to
 * no pipeline: they came from the API, or their pipeline was deleted.
 */
const newestWith = (status: string): string =>
  `ifnull((SELECT max(id) FROM deployments
     WHERE environment_id = e.value AND status = '${status}' AND job_id IS NOT NULL), 0)`

/**
 * The manual stop jobs of environments, by environment, in the order of the pipeline (spec ci 5.3): the `on_stop` jobs of
 * the finished deployments of the pipeline that deployed to the environment last.
 */
export function stopActionsOf(db: Database, environmentIds: readonly number[]): Map<number, StopAction[]> {
  const rows = db.many<StopAction>(
    `SELECT DISTINCT last.environment_id, action.* FROM json_each(?) AS e
       JOIN deployments last ON last.id = max(${['success', 'failed', 'canceled'].map(newestWith).join(', ')})
       JOIN ci_jobs of_last ON of_last.id = last.job_id
       JOIN ci_jobs deploying ON deploying.pipeline_id = of_last.pipeline_id AND deploying.environment = of_last.environment
       JOIN deployments d ON d.job_id = deploying.id AND d.environment_id = last.environment_id
         AND d.status IN ('success', 'failed', 'canceled')
       JOIN ci_jobs action ON action.pipeline_id = of_last.pipeline_id AND action.name = d.on_stop
         AND action.kind = 'job' AND action."when" = 'manual' AND action.retried = 0
     ORDER BY action.id`,
    jsonList(environmentIds),
  )
  const byEnvironment = new Map<number, StopAction[]>()
  for (const row of rows)
    byEnvironment.set(row.environment_id, [...(byEnvironment.get(row.environment_id) ?? []), row])
  return byEnvironment
}

/** Whether a pipeline has stop jobs for the environment that are unfinished or failed. */
export function isStillStopping(db: Database, job: JobRow): boolean {
  const other = db.one(
    `SELECT 1 FROM ci_jobs WHERE pipeline_id = ? AND environment = ? AND environment_action = 'stop' AND retried = 0
       AND status NOT IN ('success', 'manual', 'skipped', 'created') LIMIT 1`,
    job.pipeline_id,
    job.environment,
  )
  return other !== undefined
}

/** The maximum number of jobs that `manualJobsTo` returns. Callers need exactly one. */
const MAX_MANUAL = 10

/**
 * The manual jobs that deploy to the environment `to`, in the pipeline of the last successful deployment to the
 * environment `from`. They promote a deployment from one environment to another.
 */
export function manualJobsTo(
  db: Database,
  projectId: number,
  { from, to }: { readonly from: string; readonly to: string },
): JobRow[] {
  return db.many<JobRow>(
    `SELECT j.* FROM ci_jobs j
     WHERE j.pipeline_id = (
         SELECT b.pipeline_id FROM environments e JOIN deployments d ON d.environment_id = e.id
         JOIN ci_jobs b ON b.id = d.job_id
         WHERE e.project_id = ? AND e.name = ? AND d.status = 'success' ORDER BY d.id DESC LIMIT 1)
       AND j.environment = ? AND j.retried = 0 AND j.status = 'manual' AND j.environment_action IS NOT 'stop'
     ORDER BY j.id LIMIT ${MAX_MANUAL}`,
    projectId,
    from,
    to,
  )
}

/** Removes the environment of a job. */
export function clearEnvironmentOf(db: Database, jobId: number): void {
  db.exec('UPDATE ci_jobs SET environment = NULL, environment_action = NULL WHERE id = ?', jobId)
}

/**
 * The URL of the environment in the configuration of a job, in which variables are not expanded yet. Null if there is
 * none.
 */
export function declaredUrlOf(db: Database, jobId: number): string | null {
  const sql = `SELECT options ->> '$.environment.url' AS url FROM ci_job_details WHERE job_id = ?`
  return db.one<{ url: string | null }>(sql, jobId)?.url ?? null
}
