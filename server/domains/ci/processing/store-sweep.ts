import type { Database } from '../../../db/database.ts'
import type { JobRow } from '../jobs/store.ts'

/** The maximum number of rows that one run of the sweeper handles; the next run handles the rest. */
const PORTION = 1000

/** Ids of delayed jobs that are due. */
export function dueDelayed(db: Database, now: string): { readonly id: number }[] {
  return db.many(
    `SELECT id FROM ci_jobs INDEXED BY ci_jobs_scheduled WHERE status = 'scheduled' AND scheduled_at <= ? LIMIT ${PORTION}`,
    now,
  )
}

/** A job that a runner has. */
export type RunningJob = Pick<JobRow, 'id' | 'status' | 'started_at' | 'timeout' | 'heartbeat_at'>

export function runningJobs(db: Database): RunningJob[] {
  return db.many(
    `SELECT id, status, started_at, timeout, heartbeat_at FROM ci_jobs INDEXED BY ci_jobs_running
     WHERE status IN ('running', 'canceling') AND kind = 'job'`,
  )
}

/** Ids of resource groups with a free resource that jobs wait for. */
export function groupsWithFreeResource(db: Database): { readonly id: number }[] {
  return db.many(
    `SELECT DISTINCT resource_group_id AS id FROM ci_jobs j INDEXED BY ci_jobs_awaiting
     WHERE status = 'waiting_for_resource' AND resource_group_id IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM ci_jobs h INDEXED BY ci_jobs_holding
       WHERE h.resource_group_id = j.resource_group_id AND h.holds_resource = 1)`,
  )
}

/** Jobs that wait for the resource of a group that was deleted. */
export function waitingWithoutGroup(db: Database): JobRow[] {
  return db.many(
    `SELECT * FROM ci_jobs INDEXED BY ci_jobs_awaiting
     WHERE status = 'waiting_for_resource' AND resource_group_id IS NULL LIMIT ${PORTION}`,
  )
}

/** A pending job, with the time since which it waits. */
export type PendingJob = Pick<JobRow, 'id' | 'project_id' | 'protected' | 'tag_list'> & {
  readonly since: string
}

/** Jobs that have waited for a runner since before the given time. */
export function pendingSince(db: Database, moment: string): PendingJob[] {
  return db.many(
    `SELECT id, project_id, protected, tag_list, coalesce(queued_at, updated_at) AS since
     FROM ci_jobs INDEXED BY ci_jobs_queue WHERE status = 'pending' AND kind = 'job' AND since < ?`,
    moment,
  )
}

/** Ids of runners that called after a moment. */
export function runnersSeenSince(db: Database, moment: string): number[] {
  return db.many<{ id: number }>('SELECT id FROM runners WHERE contacted_at > ?', moment).map(({ id }) => id)
}
