import type { Database } from '../../../db/database.ts'
import type { JobRow } from '../jobs/store.ts'

/** Plain SQL, since pipelines have hundreds. */
export function jobById(db: Database, id: number): JobRow {
  return db.one<JobRow>('SELECT * FROM ci_jobs WHERE id = ?', id)!
}

/** Writes columns of a job and gives it back. */
export function updateJob(db: Database, id: number, columns: Partial<JobRow>): JobRow {
  const names = Object.keys(columns).map((name) => `"${name}" = ?`)
  const sql = `UPDATE ci_jobs SET ${names.join(', ')} WHERE id = ? RETURNING *`
  return db.one<JobRow>(sql, ...Object.values(columns), id)!
}

/** A way in which newest jobs of a pipeline stand. */
export interface Standing {
  readonly stage_index: number
  readonly status: string
  readonly allow_failure: boolean
}

/** How the newest jobs of a pipeline stand, each way once; answered by an index however many jobs there are. */
export function standings(db: Database, pipelineId: number): Standing[] {
  return db.many<Standing>(
    `SELECT DISTINCT status, stage_index, allow_failure FROM ci_jobs INDEXED BY ci_jobs_standing
     WHERE pipeline_id = ? AND retried = 0`,
    pipelineId,
  )
}

/** How one job stands. */
export function standingOf(db: Database, id: number): Standing {
  return db.one<Standing>('SELECT stage_index, status, allow_failure FROM ci_jobs WHERE id = ?', id)!
}

/** What the rules ask about a job that has not been let through yet. */
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

/** True where such jobs are there at all. */
export function hasCreatedInStage(db: Database, pipelineId: number, stage: number): boolean {
  const sql = `SELECT 1 ${CREATED} AND (needs IS NULL) = 1 AND stage_index = ? LIMIT 1`
  return db.one(sql, pipelineId, stage) !== undefined
}

/** Created jobs that wait for what they need, by stage. */
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

/** Jobs that were left out or wait for somebody, with what decides over them; for jobs that run again before them. */
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

/** When the newest jobs of a pipeline ran, by their begin; null where one still does. */
export function runs(db: Database, pipelineId: number): { started_at: string; finished_at: string | null }[] {
  return db.many(
    `SELECT started_at, finished_at FROM ci_jobs
     WHERE pipeline_id = ? AND retried = 0 AND started_at IS NOT NULL
       AND status IN ('running', 'canceling', 'success', 'failed', 'canceled') ORDER BY started_at`,
    pipelineId,
  )
}

/** A part of what the configuration says of a job; null where it says nothing. The rest is not read. */
export function option<T>(db: Database, jobId: number, name: string): T | null {
  const found = db.one<{ value: string | null }>(
    'SELECT json_extract(options, ?) AS value FROM (SELECT options FROM ci_job_details WHERE job_id = ?)',
    `$.${name}`,
    jobId,
  )
  return found?.value === undefined || found.value === null ? null : (found.value as T)
}

/** As `option`, for lists and mappings. */
export function optionParts<T>(db: Database, jobId: number, name: string): T | null {
  const text = option<string>(db, jobId, name)
  return text === null ? null : (JSON.parse(text) as T)
}
