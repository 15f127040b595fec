import type { Database } from '../../../../db/database.ts'
import type { ArtifactRow } from '../../artifacts/store.ts'
import type { JobDetailsRow, JobRow } from '../../jobs/store.ts'
import type { PipelineRow, PipelineVariableRow } from '../store.ts'

/** A job of a new pipeline. */
export type NewJob = Pick<
  JobRow,
  | 'pipeline_id'
  | 'project_id'
  | 'kind'
  | 'name'
  | 'base'
  | 'stage'
  | 'stage_index'
  | 'status'
  | 'when'
  | 'needs'
  | 'user_id'
  | 'ref'
  | 'tag'
  | 'protected'
  | 'tag_list'
  | 'resource_group_id'
  | 'environment'
  | 'environment_action'
  | 'created_at'
  | 'updated_at'
> & {
  readonly allow_failure: boolean
  readonly interruptible: boolean
  readonly follows_downstream: boolean
}

/** Stores a job and returns its ID. It uses plain SQL for speed, because a pipeline may have hundreds of jobs. */
export function insertJob(db: Database, row: NewJob): number {
  return db.exec(
    `INSERT INTO ci_jobs (pipeline_id, project_id, kind, name, base, stage, stage_index, status, "when", allow_failure,
       needs, user_id, ref, tag, protected, tag_list, interruptible, resource_group_id, environment, environment_action,
       follows_downstream, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.pipeline_id,
    row.project_id,
    row.kind,
    row.name,
    row.base,
    row.stage,
    row.stage_index,
    row.status,
    row.when,
    row.allow_failure,
    row.needs,
    row.user_id,
    row.ref,
    row.tag,
    row.protected,
    row.tag_list,
    row.interruptible,
    row.resource_group_id,
    row.environment,
    row.environment_action,
    row.follows_downstream,
    row.created_at,
    row.updated_at,
  ).id
}

export function insertDetails(db: Database, row: Omit<JobDetailsRow, 'own_variables'>): void {
  db.exec(
    'INSERT INTO ci_job_details (job_id, options, variables) VALUES (?, ?, ?)',
    row.job_id,
    row.options,
    row.variables,
  )
}

/** Stores a variable with which a pipeline is started. The value is already encrypted. */
export function insertVariable(db: Database, row: PipelineVariableRow): void {
  db.exec(
    'INSERT INTO ci_pipeline_variables (pipeline_id, key, value, variable_type, raw) VALUES (?, ?, ?, ?, ?)',
    row.pipeline_id,
    row.key,
    row.value,
    row.variable_type,
    row.raw,
  )
}

/** The IID that the next pipeline of a project will have unless another pipeline is created before it. */
export function nextIidEstimate(db: Database, projectId: number): number {
  const row = db.one<{ pipelines: number }>(
    'SELECT pipelines FROM ci_counters WHERE project_id = ?',
    projectId,
  )
  return (row?.pipelines ?? 0) + 1
}

/** Whether a pipeline of this push was created at or after the given time. */
export function existsSince(
  db: Database,
  push: Pick<PipelineRow, 'project_id' | 'sha' | 'ref' | 'before_sha'>,
  time: string,
): boolean {
  const row = db.one(
    `SELECT 1 FROM ci_pipelines WHERE project_id = ? AND sha = ? AND ref = ? AND before_sha = ? AND source = 'push'
       AND created_at >= ? LIMIT 1`,
    push.project_id,
    push.sha,
    push.ref,
    push.before_sha,
    time,
  )
  return row !== undefined
}

/** The artifacts archive of the newest job with this name in a pipeline. */
export function archiveOfJob(db: Database, pipelineId: number, job: string): ArtifactRow | undefined {
  return db.one<ArtifactRow>(
    `SELECT a.* FROM ci_jobs j JOIN ci_artifacts a ON a.job_id = j.id AND a.file_type = 'archive'
      WHERE j.pipeline_id = ? AND j.name = ? AND j.kind = 'job' AND j.retried = 0 ORDER BY j.id DESC LIMIT 1`,
    pipelineId,
    job,
  )
}

/** The number of a project's unfinished jobs that were created since the given time. */
export function countUnfinishedJobs(db: Database, projectId: number, since: string): number {
  return db.one<{ n: number }>(
    `SELECT count(*) AS n FROM ci_jobs WHERE project_id = ? AND created_at > ?
       AND status IN ('created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'scheduled')`,
    projectId,
    since,
  )!.n
}

/** A pipeline with its upstream pipeline. */
export type Ancestor = Pick<PipelineRow, 'id' | 'project_id' | 'ref' | 'source' | 'upstream_pipeline_id'>

/** A pipeline and its upstream pipelines, at most `limit`, the nearest first. */
export function upstreamChain(db: Database, pipelineId: number, limit: number): Ancestor[] {
  return db.many<Ancestor>(
    `WITH RECURSIVE chain (id, depth) AS (
       SELECT ?, 1
       UNION ALL
       SELECT p.upstream_pipeline_id, depth + 1 FROM chain c JOIN ci_pipelines p ON p.id = c.id
        WHERE p.upstream_pipeline_id IS NOT NULL AND depth < ?
     )
     SELECT p.id, p.project_id, p.ref, p.source, p.upstream_pipeline_id FROM chain c JOIN ci_pipelines p ON p.id = c.id
      ORDER BY c.depth`,
    pipelineId,
    limit,
  )
}

/** The number of a pipeline's downstream pipelines at any depth, including itself, counted up to a limit. */
export function countDescendants(db: Database, pipelineId: number, limit: number): number {
  return db.one<{ n: number }>(
    `WITH RECURSIVE family (id) AS (
       SELECT ? UNION SELECT p.id FROM family f JOIN ci_pipelines p ON p.upstream_pipeline_id = f.id
     )
     SELECT count(*) AS n FROM (SELECT id FROM family LIMIT ?)`,
    pipelineId,
    limit,
  )!.n
}
