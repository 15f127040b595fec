import type { Selectable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import type { CiJobDetailsTable, CiJobsTable } from '../../../db/schema.gen.ts'
import type { CompiledJob, Variable } from '../../ci_config/index.ts'

/** A job, trigger job or report of another system, as stored. */
export type JobRow = Selectable<CiJobsTable>

/** The large part of a job. */
export type JobDetailsRow = Selectable<CiJobDetailsTable>

export function byId(db: Database, id: number): JobRow | undefined {
  return db.get(q.selectFrom('ci_jobs').selectAll().where('id', '=', id))
}

/** What only the runner and the page of a job need of it. */
export function detailsOf(db: Database, jobId: number): JobDetailsRow | undefined {
  return db.get(q.selectFrom('ci_job_details').selectAll().where('job_id', '=', jobId))
}

/** All jobs, trigger jobs and reports of a pipeline, older copies too, by stage and in the order in which they were made. */
export function ofPipeline(db: Database, pipelineId: number): JobRow[] {
  return db.many<JobRow>('SELECT * FROM ci_jobs WHERE pipeline_id = ? ORDER BY stage_index, id', pipelineId)
}

/** What of a compiled job has columns of its own, or is done with once the job is chosen. */
type Elsewhere =
  | 'name'
  | 'base'
  | 'kind'
  | 'stage'
  | 'stage_index'
  | 'tag_list'
  | 'variables'
  | 'inherits_variables'
  | 'rules'
  | 'only'
  | 'except'
  | 'when'
  | 'allow_failure'
  | 'needs'
  | 'interruptible'

/** The column `ci_job_details.options`: the rest of a job's configuration, as its rules want it. */
export type JobOptions = Omit<CompiledJob, Elsewhere>

/** The configuration of a stored job. */
export function optionsOf(details: Pick<JobDetailsRow, 'options'>): JobOptions {
  return JSON.parse(details.options) as JobOptions
}

/** The variables of a stored job's configuration, root before job before rule; of one name the later counts. */
export function yamlVariablesOf(details: Pick<JobDetailsRow, 'variables'>): Variable[] {
  return JSON.parse(details.variables) as Variable[]
}
