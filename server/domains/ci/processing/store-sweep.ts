import type { Database } from '../../../db/database.ts'
import type { JobRow } from '../jobs/store.ts'

/** The maximum number of rows that one run of the sweeper handles. The next run handles the rest. */
const BATCH = 1000

/** The IDs of delayed jobs that are due. */
export function dueDelayed(db: Database, now: string): { readonly id: number }[] {
  return db.many(
    `SELECT id FROM ci_jobs INDEXED BY ci_jobs_scheduled WHERE status = 'scheduled' AND scheduled_at <= ? LIMIT ${BATCH}`,
    now,
  )
}

/** A job that a runner is running. */
export type RunningJob = Pick<JobRow, 'id' | 'status' | 'started_at' | 'timeout' | 'heartbeat_at'>

export function runningJobs(db: Database): RunningJob[] {
  return db.many(
    `SELECT id, status, started_at, timeout, heartbeat_at FROM ci_jobs INDEXED BY ci_jobs_running
     WHERE status IN ('running', 'canceling') AND kind = 'job'`,
  )
}

/** The IDs of resource groups with a free resource that jobs wait for. */
export function groupsWithFreeResource(db: Database): { readonly id: number }[] {
  return db.many(
    `SELECT DISTINCT resource_group_id AS id FROM ci_jobs j INDEXED BY ci_jobs_awaiting
     WHERE status = 'waiting_for_resource' AND resource_group_id IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM ci_jobs h INDEXED BY ci_jobs_holding
       WHERE h.resource_group_id = j.resource_group_id AND h.holds_resource = 1)`,
  )
}

/** Jobs that wait for the resource of a deleted group. */
export function waitingWithoutGroup(db: Database): JobRow[] {
  return db.many(
    `SELECT * FROM ci_jobs INDEXED BY ci_jobs_awaiting
     WHERE status = 'waiting_for_resource' AND resource_group_id IS NULL LIMIT ${BATCH}`,
  )
}

/** A pending job with the time since when it has been waiting. */
export type PendingJob = Pick<JobRow, 'id' | 'project_id' | 'protected' | 'tag_list'> & {
  readonly since: string
}

/** Jobs that have been waiting for a runner since before the given time. */
export function pendingSince(db: Database, time: string): PendingJob[] {
  return db.many(
    `SELECT id, project_id, protected, tag_list, coalesce(queued_at, updated_at) AS since
     FROM ci_jobs INDEXED BY ci_jobs_queue WHERE status = 'pending' AND kind = 'job' AND since < ?`,
    time,
  )
}

/** The IDs of runners that sent a request after the given time. */
export function runnersSeenSince(db: Database, time: string): number[] {
  return db.many<{ id: number }>('SELECT id FROM runners WHERE contacted_at > ?', time).map(({ id }) => id)
}
