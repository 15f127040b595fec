import type { Selectable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import type { CiJobDetailsTable, CiJobsTable } from '../../../db/schema.gen.ts'

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
