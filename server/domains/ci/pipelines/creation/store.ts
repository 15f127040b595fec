import type { Database } from '../../../../db/database.ts'
import type { JobDetailsRow, JobRow } from '../../jobs/store.ts'
import type { PipelineRow, PipelineVariableRow } from '../store.ts'

/** A job as a pipeline is made with it. */
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

/** Stores a job and gives its id. Plain SQL, since pipelines have hundreds. */
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

/** Stores a variable that a pipeline was started with; its value is sealed already. */
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

/** The number that the next pipeline of a project will probably have. */
export function probableIid(db: Database, projectId: number): number {
  const row = db.one<{ pipelines: number }>(
    'SELECT pipelines FROM ci_counters WHERE project_id = ?',
    projectId,
  )
  return (row?.pipelines ?? 0) + 1
}

/** Whether there is a pipeline of a push that was made at or after a moment. */
export function isMadeSince(
  db: Database,
  push: Pick<PipelineRow, 'project_id' | 'sha' | 'ref' | 'before_sha'>,
  moment: string,
): boolean {
  const found = db.one(
    `SELECT 1 FROM ci_pipelines WHERE project_id = ? AND sha = ? AND ref = ? AND before_sha = ? AND source = 'push'
       AND created_at >= ? LIMIT 1`,
    push.project_id,
    push.sha,
    push.ref,
    push.before_sha,
    moment,
  )
  return found !== undefined
}
