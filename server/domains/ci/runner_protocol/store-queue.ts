import { jsonList, type Database } from '../../../db/database.ts'
import type { JobRow } from '../jobs/store.ts'

/** The maximum number of pending jobs to try for one request of a runner (spec ci 1.6). */
export const QUEUE_DEPTH = 45

/** Columns of a runner for matching. */
export interface MatchedRunner {
  readonly id: number
  readonly runner_type: string
}

/** The condition for projects of a runner, by its type (spec ci 3.4). Aliases: runner `r`, job `j`, its project `p`. */
const SCOPES: Readonly<Record<string, string>> = {
  instance_type: 'p.shared_runners_enabled = 1',
  group_type: `p.group_runners_enabled = 1 AND EXISTS (SELECT 1 FROM namespaces n, json_each(n.lineage) above
    WHERE n.id = p.namespace_id AND above.value = r.group_id)`,
  project_type: `EXISTS (SELECT 1 FROM runner_projects rp
    WHERE rp.runner_id = r.id AND rp.project_id = j.project_id)`,
}

/** The condition for jobs that a runner takes: tags, protected refs, not paused. */
const SUITS = `r.paused = 0
  AND (r.access_level = 'not_protected' OR j.protected = 1)
  AND CASE WHEN j.tag_list = '[]' THEN r.run_untagged = 1 ELSE NOT EXISTS (
    SELECT 1 FROM json_each(j.tag_list) wanted
    WHERE wanted.value NOT IN (SELECT value FROM json_each(r.tag_list))) END`

const ANY_SCOPE = Object.entries(SCOPES)
  .map(([type, scope]) => `(r.runner_type = '${type}' AND ${scope})`)
  .join(' OR ')

/**
 * Thousands of jobs may be pending, but in few groups of project, tags and protection. Matching runs once for each
 * group.
 */
const KINDS = `WITH kinds AS MATERIALIZED (
    SELECT DISTINCT project_id, protected, tag_list FROM ci_jobs INDEXED BY ci_jobs_kinds
    WHERE status = 'pending' AND kind = 'job')`
const OF_KIND = `CROSS JOIN ci_jobs q INDEXED BY ci_jobs_kinds ON q.status = 'pending' AND q.kind = 'job'
    AND q.project_id = k.project_id AND q.protected = k.protected AND q.tag_list = k.tag_list`

/** Running jobs of each project on instance runners. The project with the fewest is next. */
const BUSY = `LEFT JOIN (SELECT b.project_id, count(*) AS jobs FROM ci_jobs b INDEXED BY ci_jobs_running
  JOIN runners u ON u.id = b.runner_id AND u.runner_type = 'instance_type'
  WHERE b.status IN ('running', 'canceling') AND b.kind = 'job' GROUP BY b.project_id) busy ON busy.project_id = k.project_id`

/** The condition that the top-level namespace is not in a list. */
const NOT_SPENT = `(SELECT json_extract(n.lineage, '$[0]') FROM namespaces n WHERE n.id = p.namespace_id)
  NOT IN (SELECT value FROM json_each(?))`

/**
 * The pending jobs for a runner in order: oldest first; for instance runners, jobs of the project with the fewest
 * running jobs first. At most `QUEUE_DEPTH` ids. Excludes jobs in the namespaces of `spent`.
 */
export function waitingFor(db: Database, runner: MatchedRunner, spent: readonly number[] = []): number[] {
  const isShared = runner.runner_type === 'instance_type'
  const isLeft = spent.length > 0 ? `AND ${NOT_SPENT}` : ''
  const sql = `${KINDS}, fitting AS MATERIALIZED (
      SELECT j.* FROM runners r, kinds j JOIN projects p ON p.id = j.project_id
      WHERE r.id = ? AND ${SUITS} AND ${SCOPES[runner.runner_type]} ${isLeft})
    SELECT q.id FROM fitting k ${OF_KIND} ${isShared ? BUSY : ''}
    ORDER BY ${isShared ? 'ifnull(busy.jobs, 0), ' : ''}q.id LIMIT ${QUEUE_DEPTH}`
  const more = spent.length > 0 ? [jsonList(spent)] : []
  return db.many<{ id: number }>(sql, runner.id, ...more).map((row) => row.id)
}

/** True if a runner can take the job, regardless of the job's status. */
export function mayRun(db: Database, runner: MatchedRunner, job: Pick<JobRow, 'id'>): boolean {
  return runnersFor(db, job.id, [runner.id]).length > 0
}

/** Ids of the runners that can take a job, online or not; with `among`, only those. */
export function runnersFor(db: Database, jobId: number, among?: readonly number[]): number[] {
  const sql = `SELECT r.id FROM runners r, ci_jobs j JOIN projects p ON p.id = j.project_id
    WHERE j.id = ? AND ${SUITS} AND (${ANY_SCOPE})
    ${among ? 'AND r.id IN (SELECT value FROM json_each(?))' : ''}`
  const rows = among
    ? db.many<{ id: number }>(sql, jobId, jsonList(among))
    : db.many<{ id: number }>(sql, jobId)
  return rows.map((row) => row.id)
}

/** Number of a project's running jobs on instance runners. */
export function runningOnInstanceRunners(db: Database, projectId: number): number {
  const sql = `SELECT count(*) AS jobs FROM ci_jobs b JOIN runners u ON u.id = b.runner_id AND u.runner_type = 'instance_type'
    WHERE b.project_id = ? AND b.status IN ('running', 'canceling') AND b.kind = 'job'`
  return db.one<{ jobs: number }>(sql, projectId)!.jobs
}

/** Usage of instance runners by a top-level namespace. */
export interface MinutesUsed {
  /** Id of the namespace. */
  readonly id: number
  /** Its limit in minutes; 0 for none. */
  readonly minutes: number
  /** Duration of its jobs in seconds. */
  readonly seconds: number
}

/** Usage of instance runners by each top-level namespace since a time. `limit` is the default limit in minutes. */
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

/** Records that the runner of a job reported it as running. */
export function noteHeartbeat(db: Database, jobId: number, now: string): void {
  db.exec('UPDATE ci_jobs SET heartbeat_at = ? WHERE id = ?', now, jobId)
}

/** Stores the runner's checksum of the log. */
export function noteChecksum(db: Database, jobId: number, checksum: string): void {
  db.exec('UPDATE ci_jobs SET trace_checksum = ? WHERE id = ?', checksum, jobId)
}

/** Marks a log that may contain secrets, because the runner traces every command. */
export function noteDebugTrace(db: Database, jobId: number): void {
  db.exec('UPDATE ci_jobs SET debug_trace = 1 WHERE id = ?', jobId)
}
