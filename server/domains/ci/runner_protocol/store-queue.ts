import { jsonList, type Database } from '../../../db/database.ts'
import type { JobRow } from '../jobs/store.ts'

/** The maximum number of pending jobs to try for one request of a runner (spec ci 1.6). */
export const QUEUE_DEPTH = 45

/** The columns of a runner that are needed to find its jobs. */
export interface MatchableRunner {
  readonly id: number
  readonly runner_type: string
}

/**
 * The conditions for the projects that a runner serves, by its type (spec ci 3.4). `r` is the runner, `j` the job and `p`
 * the project of the job.
 */
const SCOPES: Readonly<Record<string, string>> = {
  instance_type: 'p.shared_runners_enabled = 1',
  group_type: `p.group_runners_enabled = 1 AND EXISTS (SELECT 1 FROM namespaces n, json_each(n.lineage) ancestor
    WHERE n.id = p.namespace_id AND ancestor.value = r.group_id)`,
  project_type: `EXISTS (SELECT 1 FROM runner_projects rp
    WHERE rp.runner_id = r.id AND rp.project_id = j.project_id)`,
}

/** The condition for the jobs that a runner can take, by tags and protection. A paused runner takes none. */
const MATCHES = `r.paused = 0
  AND (r.access_level = 'not_protected' OR j.protected = 1)
  AND CASE WHEN j.tag_list = '[]' THEN r.run_untagged = 1 ELSE NOT EXISTS (
    SELECT 1 FROM json_each(j.tag_list) tag
    WHERE tag.value NOT IN (SELECT value FROM json_each(r.tag_list))) END`

const ANY_SCOPE = Object.entries(SCOPES)
  .map(([type, scope]) => `(r.runner_type = '${type}' AND ${scope})`)
  .join(' OR ')

/**
 * The distinct combinations of project, protection and tags of all pending jobs. Thousands of jobs may be pending, but
 * with few combinations, so the runner is matched with the combinations.
 */
const KINDS = `WITH kinds AS MATERIALIZED (
    SELECT DISTINCT project_id, protected, tag_list FROM ci_jobs INDEXED BY ci_jobs_kinds
    WHERE status = 'pending' AND kind = 'job')`
const OF_KIND = `CROSS JOIN ci_jobs q INDEXED BY ci_jobs_kinds ON q.status = 'pending' AND q.kind = 'job'
    AND q.project_id = k.project_id AND q.protected = k.protected AND q.tag_list = k.tag_list`

/** Joins the number of running jobs of each project on instance runners. The project with the fewest comes first. */
const BUSY = `LEFT JOIN (SELECT b.project_id, count(*) AS jobs FROM ci_jobs b INDEXED BY ci_jobs_running
  JOIN runners u ON u.id = b.runner_id AND u.runner_type = 'instance_type'
  WHERE b.status IN ('running', 'canceling') AND b.kind = 'job' GROUP BY b.project_id) busy ON busy.project_id = k.project_id`

/** The condition that the top-level namespace is not in a list. */
const NOT_EXCLUDED = `(SELECT json_extract(n.lineage, '$[0]') FROM namespaces n WHERE n.id = p.namespace_id)
  NOT IN (SELECT value FROM json_each(?))`

/**
 * The IDs of the pending jobs that a runner can take, at most `QUEUE_DEPTH`, oldest first. Instance runners first take
 * jobs of the projects with the fewest running jobs. Jobs in the top-level namespaces `excluded` are left out.
 */
export function pendingJobsFor(
  db: Database,
  runner: MatchableRunner,
  excluded: readonly number[] = [],
): number[] {
  const isShared = runner.runner_type === 'instance_type'
  const exclusion = excluded.length > 0 ? `AND ${NOT_EXCLUDED}` : ''
  const sql = `${KINDS}, matching AS MATERIALIZED (
      SELECT j.* FROM runners r, kinds j JOIN projects p ON p.id = j.project_id
      WHERE r.id = ? AND ${MATCHES} AND ${SCOPES[runner.runner_type]} ${exclusion})
    SELECT q.id FROM matching k ${OF_KIND} ${isShared ? BUSY : ''}
    ORDER BY ${isShared ? 'ifnull(busy.jobs, 0), ' : ''}q.id LIMIT ${QUEUE_DEPTH}`
  const parameters = excluded.length > 0 ? [jsonList(excluded)] : []
  return db.many<{ id: number }>(sql, runner.id, ...parameters).map((row) => row.id)
}

/** Whether a runner can take a job, regardless of the job's status. */
export function canRun(db: Database, runner: MatchableRunner, job: Pick<JobRow, 'id'>): boolean {
  return runnersFor(db, job.id, [runner.id]).length > 0
}

/** The IDs of the runners that can take a job, whether they are online or not. `among` restricts the search. */
export function runnersFor(db: Database, jobId: number, among?: readonly number[]): number[] {
  const sql = `SELECT r.id FROM runners r, ci_jobs j JOIN projects p ON p.id = j.project_id
    WHERE j.id = ? AND ${MATCHES} AND (${ANY_SCOPE})
    ${among ? 'AND r.id IN (SELECT value FROM json_each(?))' : ''}`
  const rows = among
    ? db.many<{ id: number }>(sql, jobId, jsonList(among))
    : db.many<{ id: number }>(sql, jobId)
  return rows.map((row) => row.id)
}

/** The number of a project's running jobs on instance runners. */
export function runningOnInstanceRunners(db: Database, projectId: number): number {
  const sql = `SELECT count(*) AS jobs FROM ci_jobs b JOIN runners u ON u.id = b.runner_id AND u.runner_type = 'instance_type'
    WHERE b.project_id = ? AND b.status IN ('running', 'canceling') AND b.kind = 'job'`
  return db.one<{ jobs: number }>(sql, projectId)!.jobs
}

/** The usage of instance runners by a top-level namespace. */
export interface MinutesUsed {
  /** The ID of the namespace. */
  readonly id: number
  /** The limit in minutes. 0 means no limit. */
  readonly minutes: number
  /** The total duration of the jobs in seconds. */
  readonly seconds: number
}

/** The usage of instance runners by each top-level namespace since a time. `limit` is the default limit in minutes. */
export function minutesUsed(
  db: Database,
  { limit, now, since }: { readonly limit: number; readonly now: string; readonly since: string },
): MinutesUsed[] {
  return db.many<MinutesUsed>(
    `SELECT top.id, coalesce(top.shared_runners_minutes_limit, u.shared_runners_minutes_limit, ?) AS minutes,
       sum(strftime('%s', coalesce(j.finished_at, ?)) - strftime('%s', j.started_at)) AS seconds
     FROM runners r JOIN ci_jobs j ON j.runner_id = r.id JOIN projects p ON p.id = j.project_id
     JOIN namespaces n ON n.id = p.namespace_id JOIN namespaces top ON top.id = json_extract(n.lineage, '$[0]')
     LEFT JOIN users u ON u.id = top.owner_id
     WHERE r.runner_type = 'instance_type' AND j.started_at >= ? GROUP BY top.id`,
    limit,
    now,
    since,
  )
}

/** Records the time of a request in which the runner of a job reported it as running. */
export function setHeartbeat(db: Database, jobId: number, now: string): void {
  db.exec('UPDATE ci_jobs SET heartbeat_at = ? WHERE id = ?', now, jobId)
}

/** Stores the runner's checksum of the log. */
export function setChecksum(db: Database, jobId: number, checksum: string): void {
  db.exec('UPDATE ci_jobs SET trace_checksum = ? WHERE id = ?', checksum, jobId)
}

/** Marks the log of a job as one that may contain secrets, because the runner traces every command. */
export function markDebugTrace(db: Database, jobId: number): void {
  db.exec('UPDATE ci_jobs SET debug_trace = 1 WHERE id = ?', jobId)
}
