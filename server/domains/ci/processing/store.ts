import { q, type Database } from '../../../db/database.ts'
import type { JobRow } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'

/** Columns of a job that can change. */
export type JobChanges = Partial<Omit<JobRow, 'id' | 'pipeline_id' | 'project_id'>>

/** Plain SQL, since pipelines have hundreds. */
export function jobById(db: Database, id: number): JobRow {
  return db.one<JobRow>('SELECT * FROM ci_jobs WHERE id = ?', id)!
}

/** Updates a job and returns it. */
export function updateJob(db: Database, id: number, columns: Partial<JobRow>): JobRow {
  const names = Object.keys(columns).map((name) => `"${name}" = ?`)
  const sql = `UPDATE ci_jobs SET ${names.join(', ')} WHERE id = ? RETURNING *`
  return db.one<JobRow>(sql, ...Object.values(columns), id)!
}

/** Stage and status of a job. */
export interface Standing {
  readonly stage_index: number
  readonly status: JobRow['status']
  readonly allow_failure: boolean
}

/** The distinct stages and statuses of the newest jobs of a pipeline; fast for any number of jobs, by an index. */
export function jobStandings(db: Database, pipelineId: number): Standing[] {
  return db.many<Standing>(
    `SELECT DISTINCT status, stage_index, allow_failure FROM ci_jobs INDEXED BY ci_jobs_standing
     WHERE pipeline_id = ? AND retried = 0`,
    pipelineId,
  )
}

/** Stage and status of one job. */
export function standingOf(db: Database, id: number): Standing {
  return db.one<Standing>('SELECT stage_index, status, allow_failure FROM ci_jobs WHERE id = ?', id)!
}

/** Columns of a created job that its gate needs. */
export type CreatedJob = Pick<JobRow, 'id' | 'name' | 'kind' | 'status' | 'stage_index' | 'when' | 'needs'>

const COLUMNS = 'id, name, kind, status, stage_index, "when", needs'
const CREATED = `FROM ci_jobs INDEXED BY ci_jobs_created
  WHERE pipeline_id = ? AND retried = 0 AND status = 'created'`

/** Created jobs of one stage that wait for the stages before. */
export function createdInStage(db: Database, pipelineId: number, stage: number): CreatedJob[] {
  return db.many(
    `SELECT ${COLUMNS} ${CREATED} AND (needs IS NULL) = 1 AND stage_index = ? ORDER BY id`,
    pipelineId,
    stage,
  )
}

/** True if a stage has created jobs that wait for the stages before. */
export function hasCreatedInStage(db: Database, pipelineId: number, stage: number): boolean {
  const sql = `SELECT 1 ${CREATED} AND (needs IS NULL) = 1 AND stage_index = ? LIMIT 1`
  return db.one(sql, pipelineId, stage) !== undefined
}

/** Created jobs that wait for the jobs they need, by stage. */
export function createdWithNeeds(db: Database, pipelineId: number): CreatedJob[] {
  return db.many(`SELECT ${COLUMNS} ${CREATED} AND (needs IS NULL) = 0 ORDER BY stage_index, id`, pipelineId)
}

/** The newest job of each name, as far as jobs can be needed. */
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

/** The newest jobs of a pipeline in some statuses, by id. */
export function newestIn(db: Database, pipelineId: number, statuses: readonly string[]): JobRow[] {
  return db.many<JobRow>(
    `SELECT * FROM ci_jobs WHERE pipeline_id = ? AND retried = 0
       AND status IN (SELECT value FROM json_each(?)) ORDER BY id`,
    pipelineId,
    JSON.stringify(statuses),
  )
}

/** When the newest jobs of a pipeline ran, by their begin; null if one still does. */
export function runs(db: Database, pipelineId: number): { started_at: string; finished_at: string | null }[] {
  return db.many(
    `SELECT started_at, finished_at FROM ci_jobs
     WHERE pipeline_id = ? AND retried = 0 AND started_at IS NOT NULL
       AND status IN ('running', 'canceling', 'success', 'failed', 'canceled') ORDER BY started_at`,
    pipelineId,
  )
}

/** One option of a job's configuration; null if it is not set. */
export function option<T>(db: Database, jobId: number, name: string): T | null {
  const row = db.one<{ value: string | null }>(
    'SELECT json_extract(options, ?) AS value FROM (SELECT options FROM ci_job_details WHERE job_id = ?)',
    `$.${name}`,
    jobId,
  )
  return row?.value === undefined || row.value === null ? null : (row.value as T)
}

/** As `option`, for lists and mappings. */
export function optionParts<T>(db: Database, jobId: number, name: string): T | null {
  const text = option<string>(db, jobId, name)
  return text === null ? null : (JSON.parse(text) as T)
}

/** Ends the protection of a job. */
export function unprotect(db: Database, id: number): void {
  db.exec('UPDATE ci_jobs SET protected = 0 WHERE id = ?', id)
}

/** Stores the description of a job. */
export function describeJob(db: Database, id: number, description: string): void {
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

/** Stores the variables that the user gave who started the job; the text is sealed. */
export function setOwnVariables(db: Database, jobId: number, sealed: string): void {
  db.exec('UPDATE ci_job_details SET own_variables = ? WHERE job_id = ?', sealed, jobId)
}

/** Marks a job as repeated: it is then no longer one of the pipeline's newest jobs. */
export function markRetried(db: Database, id: number, now: string): void {
  db.exec('UPDATE ci_jobs SET retried = 1, updated_at = ? WHERE id = ?', now, id)
}

/** Stores the copy of a job together with the details of the old one. */
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

/** Columns of a copy. */
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

/** Status of the newest pipeline of a ref, child pipelines aside. */
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

/** Ids of the pipelines of a user or project that are not over. */
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
interface Redundant {
  readonly id: number
  /**
   * The effect of new commits by its configuration: `conservative` (also where it says nothing), `interruptible`,
   * `none`.
   */
  readonly rule: string | null
  /** 1 if a job that must not be interrupted has begun. */
  readonly is_bound: number
}

/** Open pipelines of other commits of the ref of a pipeline, older than it and created after a moment. */
export function redundantTo(
  db: Database,
  { id, project_id, ref, sha }: PipelineRow,
  after: string,
): Redundant[] {
  return db.many<Redundant>(
    `SELECT id, json_extract(auto_cancel, '$.on_new_commit') AS rule,
       EXISTS (SELECT 1 FROM ci_jobs j INDEXED BY ci_jobs_standing
         WHERE j.pipeline_id = p.id AND j.retried = 0 AND j.status IN ('running', 'canceling', 'success', 'failed')
           AND j.kind = 'job' AND j.interruptible = 0) AS is_bound
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
 * True for a job that would deploy an older commit than the last deployment of its environment, in a project that
 * forbids that (`ci_forward_deployment_enabled`; spec ci 2.4).
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

/** The next job in line; it need not be waiting yet: with an order, later jobs wait for it (spec ci 2.11). */
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

/** The job that gets the resource of a group next; undefined while the resource is in use, and if no job waits. */
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
