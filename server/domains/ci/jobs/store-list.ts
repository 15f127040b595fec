import { q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { JobRow } from './store.ts'

/** Which jobs a list shows. */
export interface JobFilter {
  readonly kind: 'job' | 'bridge'
  readonly statuses?: readonly string[] | undefined
  /** Includes older copies. */
  readonly withRetried: boolean
}

/** Which page of a list; `before` is the last id of the page before, for keyset paging. */
export interface JobPage {
  readonly limit: number
  readonly offset: number
  readonly before?: number | undefined
}

function narrowed(filter: JobFilter) {
  let query = q.selectFrom('ci_jobs').where('kind', '=', filter.kind)
  if (filter.statuses && filter.statuses.length > 0)
    query = query.where('status', 'in', [...new Set(filter.statuses)])
  return filter.withRetried ? query : query.where('retried', '=', false)
}

/** One page of the jobs of a pipeline, oldest first. */
export function jobsOfPipeline(
  db: Database,
  pipelineId: number,
  filter: JobFilter,
  page: JobPage,
): Rows<JobRow> {
  const query = narrowed(filter).where('pipeline_id', '=', pipelineId)
  const rows = db.all(query.selectAll().orderBy('id').limit(page.limit).offset(page.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

/** One page of the jobs of a project, newest first. */
export function jobsOfProject(
  db: Database,
  projectId: number,
  filter: JobFilter,
  page: JobPage,
): Rows<JobRow> {
  const query = narrowed(filter).where('project_id', '=', projectId)
  const from = page.before === undefined ? query : query.where('id', '<', page.before)
  const rows = db.all(from.selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}
