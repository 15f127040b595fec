import { q, type Database } from '../../../db/database.ts'
import type { JobRow } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'

/** The columns of a job that can change. */
export type JobChanges = Partial<Omit<JobRow, 'id' | 'pipeline_id' | 'project_id'>>

/** Reads a job. It uses plain SQL for speed, because pipelines may have hundreds of jobs. */
export function jobById(db: Database, id: number): JobRow {
  return db.one<JobRow>('SELECT * FROM ci_jobs WHERE id = ?', id)!
}

/** Updates a job and returns it. */
export function updateJob(db: Database, id: number, columns: Partial<JobRow>): JobRow {
  const names = Object.keys(columns).map((name) => `"${name}" = ?`)
  const sql = `UPDATE ci_jobs SET ${names.join(', ')} WHERE id = ? RETURNING *`
  return db.one<JobRow>(sql, ...Object.values(columns), id)!
}

/** The stage and status of a job. */
export interface StageStatus {
  readonly stage_index: number
  readonly status: JobRow['status']
  readonly allow_failure: boolean
}

/** The distinct stages and statuses of the newest jobs of a pipeline. An index makes it fast for any number of jobs. */
export function stageStatuses(db: Database, pipelineId: number): StageStatus[] {
  return db.many<StageStatus>(
    `SELECT DISTINCT status, stage_index, allow_failure FROM ci_jobs INDEXED BY ci_jobs_standing
     WHERE pipeline_id = ? AND retried = 0`,
    pipelineId,
  )
}

/** The stage and status of a job. */
export function stageStatusOf(db: Database, id: number): StageStatus {
  return db.one<StageStatus>('SELECT stage_index, status, allow_failure FROM ci_jobs WHERE id = ?', id)!
}

/** The columns of a job that the decision about its start needs (`gateOf`). */
export type CreatedJob = Pick<JobRow, 'id' | 'name' | 'kind' | 'status' | 'stage_index' | 'when' | 'needs'>

const COLUMNS = 'id, name, kind, status, stage_index, "when", needs'
const CREATED = `FROM ci_jobs INDEXED BY ci_jobs_created
  WHERE pipeline_id = ? AND retried = 0 AND status = 'created'`

/** The created jobs of a stage that wait for the previous stages. */
export function createdInStage(db: Database, pipelineId: number, stage: number): CreatedJob[] {
  return db.many(
    `SELECT ${COLUMNS} ${CREATED} AND (needs IS NULL) = 1 AND stage_index = ? ORDER BY id`,
    pipelineId,
    stage,
  )
}

/** Whether a stage has created jobs that wait for the previous stages. */
export function hasCreatedInStage(db: Database, pipelineId: number, stage: number): boolean {
  const sql = `SELECT 1 ${CREATED} AND (needs IS NULL) = 1 AND stage_index = ? LIMIT 1`
  return db.one(sql, pipelineId, stage) !== undefined
}

/** The created jobs that wait for the jobs they need, by stage. */
export function createdWithNeeds(db: Database, pipelineId: number): CreatedJob[] {
  return db.many(`SELECT ${COLUMNS} ${CREATED} AND (needs IS NULL) = 0 ORDER BY stage_index, id`, pipelineId)
}

/** The newest job of each name, without external statuses, which no job can need. */
export function newestByName(
  db: Database,
  pipelineId: number,
): Pick<JobRow, 'name' | 'status' | 'allow_failure'>[] {
  return db.many(
    `SELECT name, status, allow_failure FROM ci_jobs INDEXED BY ci_jobs_standing
     WHERE pipeline_id = ? AND retried = 0 AND kind <> 'external'`,
    pipelineId,
  )
}

/** Skipped and manual jobs, which may be reset when an earlier job runs again. */
export function skippedOrManual(db: Database, pipelineId: number): CreatedJob[] {
  return db.many(
    `SELECT ${COLUMNS} FROM ci_jobs INDEXED BY ci_jobs_standing
     WHERE pipeline_id = ? AND retried = 0 AND status IN ('skipped', 'manual') AND kind <> 'external'
     ORDER BY stage_index, id`,
    pipelineId,
  )
}

/** The newest jobs of a pipeline with the given statuses, by ID. */
export function newestIn(db: Database, pipelineId: number, statuses: readonly string[]): JobRow[] {
  return db.many<JobRow>(
    `SELECT * FROM ci_jobs WHERE pipeline_id = ? AND retried = 0
       AND status IN (SELECT value FROM json_each(?)) ORDER BY id`,
    pipelineId,
    JSON.stringify(statuses),
  )
}

/** The starts and ends of the newest jobs of a pipeline, by start. The end is null while a job is running. */
export function runs(db: Database, pipelineId: number): { started_at: string; finished_at: string | null }[] {
  return db.many(
    `SELECT started_at, finished_at FROM ci_jobs
     WHERE pipeline_id = ? AND retried = 0 AND started_at IS NOT NULL
       AND status IN ('running', 'canceling', 'success', 'failed', 'canceled') ORDER BY started_at`,
    pipelineId,
  )
}

/** The value of an option in a job's configuration. Null if it is not set. */
export function option<T>(db: Database, jobId: number, name: string): T | null {
  const row = db.one<{ value: string | null }>(
    'SELECT json_extract(options, ?) AS value FROM (SELECT options FROM ci_job_details WHERE job_id = ?)',
    `$.${name}`,
    jobId,
  )
  return row?.value === undefined || row.value === null ? null : (row.value as T)
}

/** The value of an option that is a list or a mapping. Null if it is not set. */
export function optionObject<T>(db: Database, jobId: number, name: string): T | null {
  const json = option<string>(db, jobId, name)
  return json === null ? null : (JSON.parse(json) as T)
}

/** Removes the protection of a job. */
export function unprotect(db: Database, id: number): void {
  db.exec('UPDATE ci_jobs SET protected = 0 WHERE id = ?', id)
}

/** Stores the description of a job. */
export function setDescription(db: Database, id: number, description: string): void {
  db.exec('UPDATE ci_jobs SET description = ? WHERE id = ?', description, id)
}

/** Stores the test coverage of a job if it differs. */
export function setCoverage(db: Database, id: number, coverage: number, now: string): void {
  db.exec(
    'UPDATE ci_jobs SET coverage = ?, updated_at = ? WHERE id = ? AND coverage IS NOT ?',
    coverage,
    now,
    id,
    coverage,
  )
}

/** Stores the variables of the user who started a job. The text is already encrypted. */
export function setOwnVariables(db: Database, jobId: number, sealed: string): void {
  db.exec('UPDATE ci_job_details SET own_variables = ? WHERE job_id = ?', sealed, jobId)
}

/** Marks a job as retried, so that it is no longer one of the pipeline's newest jobs. */
export function markRetried(db: Database, id: number, now: string): void {
  db.exec('UPDATE ci_jobs SET retried = 1, updated_at = ? WHERE id = ?', now, id)
}

/** Stores a copy of a job, and copies the details of the old job. */
export function insertCopy(db: Database, oldId: number, row: NewCopy): JobRow {
  const created = db.get(q.insertInto('ci_jobs').values(row).returningAll())!
  db.exec(
    `INSERT INTO ci_job_details (job_id, options, variables, own_variables)
     SELECT ?, options, variables, own_variables FROM ci_job_details WHERE job_id = ?`,
    created.id,
    oldId,
  )
  return created
}

/** The columns of a copy. */
type NewCopy = Pick<
  JobRow,
  | 'pipeline_id'
  | 'project_id'
  | 'kind'
  | 'name'
  | 'base'
  | 'stage'
  | 'stage_index'
  | 'status'
  | 'ref'
  | 'created_at'
  | 'updated_at'
> &
  Partial<Omit<JobRow, 'id'>>

/** Whether the runner of a job can end a canceled job gracefully. */
export function cancelsGracefully(db: Database, runnerId: number | null): boolean {
  if (runnerId === null) return false
  const sql = "SELECT 1 FROM runners WHERE id = ? AND json_extract(features, '$.cancel_gracefully')"
  return db.one(sql, runnerId) !== undefined
}

/** The child pipelines that the trigger jobs of a pipeline created. */
export function childPipelines(
  db: Database,
  pipelineId: number,
): Pick<PipelineRow, 'id' | 'upstream_job_id'>[] {
  return db.many(
    `SELECT id, upstream_job_id FROM ci_pipelines WHERE upstream_pipeline_id = ? AND source = 'parent_pipeline'`,
    pipelineId,
  )
}

/** The status of the newest pipeline of a ref, without child pipelines. */
export function newestStatus(
  db: Database,
  projectId: number,
  ref: string | null,
): PipelineRow['status'] | undefined {
  return db.one<Pick<PipelineRow, 'status'>>(
    `SELECT status FROM ci_pipelines WHERE project_id = ? AND ref = ? AND source <> 'parent_pipeline'
     ORDER BY id DESC LIMIT 1`,
    projectId,
    ref,
  )?.status
}

/** The IDs of the unfinished pipelines of a user or project. */
export function openPipelines(
  db: Database,
  owner: { readonly user_id: number } | { readonly project_id: number },
): { readonly id: number }[] {
  const [column, id] = 'user_id' in owner ? ['user_id', owner.user_id] : ['project_id', owner.project_id]
  return db.many(
    `SELECT id FROM ci_pipelines WHERE ${column} = ? AND status NOT IN ('success', 'failed', 'canceled', 'skipped')`,
    id,
  )
}

/** An older pipeline that a new one may make redundant. */
interface RedundantPipeline {
  readonly id: number
  /** `auto_cancel:on_new_commit` of its configuration: `conservative` (the default if null), `interruptible` or `none`. */
  readonly on_new_commit: string | null
  /** 1 if a job that is not interruptible has started, otherwise 0. */
  readonly has_uninterruptible: number
}

/** The older unfinished pipelines of the same ref for other commits that were created after the given time. */
export function redundantTo(
  db: Database,
  { id, project_id, ref, sha }: PipelineRow,
  after: string,
): RedundantPipeline[] {
  return db.many<RedundantPipeline>(
    `SELECT id, json_extract(auto_cancel, '$.on_new_commit') AS on_new_commit,
       EXISTS (SELECT 1 FROM ci_jobs j INDEXED BY ci_jobs_standing
         WHERE j.pipeline_id = p.id AND j.retried = 0 AND j.status IN ('running', 'canceling', 'success', 'failed')
           AND j.kind = 'job' AND j.interruptible = 0) AS has_uninterruptible
     FROM ci_pipelines p
     WHERE project_id = ? AND ref = ? AND id < ? AND sha <> ? AND created_at > ?
       AND status IN ('created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'scheduled')
     ORDER BY id DESC`,
    project_id,
    ref,
    id,
    sha,
    after,
  )
}

/**
 * Whether a job would replace a newer deployment of its environment, in a project that forbids it
 * (`ci_forward_deployment_enabled`, spec ci 2.4).
 */
export function isOutdated(db: Database, job: JobRow): boolean {
  if (job.environment === null || job.environment_action !== 'start') return false
  const newer = db.one(
    `SELECT 1 FROM deployments mine
       JOIN projects p ON p.id = mine.project_id AND p.ci_forward_deployment_enabled = 1
       JOIN deployments theirs ON theirs.environment_id = mine.environment_id AND theirs.status = 'success'
         AND theirs.id > mine.id
     WHERE mine.job_id = ? LIMIT 1`,
    job.id,
  )
  return newer !== undefined
}

/**
 * Selects the next job for a resource, by the process mode (spec ci 2.11). In an ordered mode the next job may not be
 * waiting yet; later jobs then wait for it.
 */
const NEXT: Readonly<Record<string, string>> = {
  unordered: `SELECT * FROM ci_jobs INDEXED BY ci_jobs_awaiting
    WHERE resource_group_id = ? AND status = 'waiting_for_resource' ORDER BY id LIMIT 1`,
  oldest_first: ordered('ASC'),
  newest_first: ordered('DESC'),
}

function ordered(direction: 'ASC' | 'DESC'): string {
  return `SELECT * FROM ci_jobs WHERE resource_group_id = ? AND retried = 0
    AND status IN ('created', 'scheduled', 'waiting_for_resource')
    ORDER BY pipeline_id ${direction}, status <> 'waiting_for_resource', id LIMIT 1`
}

/** The job that gets the resource of a group next. Undefined if the resource is in use or there is no such job. */
export function nextForResource(db: Database, groupId: number): JobRow | undefined {
  const isTaken = db.one(
    'SELECT 1 FROM ci_jobs WHERE resource_group_id = ? AND holds_resource = 1 LIMIT 1',
    groupId,
  )
  const group = db.one<{ process_mode: string }>(
    'SELECT process_mode FROM ci_resource_groups WHERE id = ?',
    groupId,
  )
  return isTaken || !group ? undefined : db.one<JobRow>(NEXT[group.process_mode]!, groupId)
}
