import type { Selectable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import type { CiJobDetailsTable, CiJobsTable } from '../../../db/schema.gen.ts'
import type { CompiledJob, Variable } from '../../ci_config/index.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'

/** A job, a trigger job, or an external commit status. */
export type JobRow = Selectable<CiJobsTable>

/** The details of a job, which have a table of their own because they are large. */
export type JobDetailsRow = Selectable<CiJobDetailsTable>

export function byId(db: Database, id: number): JobRow | undefined {
  return db.get(q.selectFrom('ci_jobs').selectAll().where('id', '=', id))
}

/** The details of a job. */
export function detailsOf(db: Database, jobId: number): JobDetailsRow | undefined {
  return db.get(q.selectFrom('ci_job_details').selectAll().where('job_id', '=', jobId))
}

/** All jobs, trigger jobs and external statuses of a pipeline, including retried ones, by stage and ID. */
export function ofPipeline(db: Database, pipelineId: number): JobRow[] {
  return db.many<JobRow>('SELECT * FROM ci_jobs WHERE pipeline_id = ? ORDER BY stage_index, id', pipelineId)
}

/** The fields of a compiled job that have their own columns, or that only the selection of jobs needs. */
type OtherColumns =
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

/** The content of the column `ci_job_details.options`: the remaining configuration of a job. */
export type JobOptions = Omit<CompiledJob, OtherColumns>

/** The configuration of a stored job. */
export function optionsOf(details: Pick<JobDetailsRow, 'options'>): JobOptions {
  return JSON.parse(details.options) as JobOptions
}

/** The variables of a stored job's configuration. The last variable of a name takes precedence. */
export function yamlVariablesOf(details: Pick<JobDetailsRow, 'variables'>): Variable[] {
  return JSON.parse(details.variables) as Variable[]
}

/** The filters of a list of jobs. */
export interface JobFilter {
  readonly kind: 'job' | 'bridge'
  readonly statuses?: readonly JobRow['status'][] | undefined
  /** Whether the list includes jobs that were retried. */
  readonly withRetried: boolean
}

/** The page of a list. `before` is the last ID of the previous page, for keyset paging. */
export interface JobPage {
  readonly limit: number
  readonly offset: number
  readonly before?: number | undefined
}

function filteredQuery(filter: JobFilter) {
  let query = q.selectFrom('ci_jobs').where('kind', '=', filter.kind)
  if (filter.statuses && filter.statuses.length > 0)
    query = query.where('status', 'in', [...new Set(filter.statuses)])
  return filter.withRetried ? query : query.where('retried', '=', false)
}

/** A page of the jobs of a pipeline, oldest first. */
export function jobsOfPipeline(
  db: Database,
  pipelineId: number,
  filter: JobFilter,
  page: JobPage,
): Rows<JobRow> {
  const query = filteredQuery(filter).where('pipeline_id', '=', pipelineId)
  const rows = db.all(query.selectAll().orderBy('id').limit(page.limit).offset(page.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

/** A page of the jobs of a project, newest first. */
export function jobsOfProject(
  db: Database,
  projectId: number,
  filter: JobFilter,
  page: JobPage,
): Rows<JobRow> {
  const query = filteredQuery(filter).where('project_id', '=', projectId)
  const from = page.before === undefined ? query : query.where('id', '<', page.before)
  const rows = db.all(from.selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}
