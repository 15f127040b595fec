import { sql } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { PipelineRow } from './store.ts'

/** All statuses of pipelines and jobs (spec ci 2.1). */
export const STATUSES = [
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
] as const

/** All sources of pipelines (spec ci 2.6). */
export const SOURCES = [
  'push',
  'web',
  'trigger',
  'schedule',
  'api',
  'external',
  'pipeline',
  'chat',
  'webide',
  'merge_request_event',
  'external_pull_request_event',
  'parent_pipeline',
  'ondemand_dast_scan',
  'ondemand_dast_validation',
  'security_orchestration_policy',
] as const

/** The columns by which a list of pipelines can be sorted. */
export const ORDERS = ['id', 'status', 'ref', 'updated_at', 'user_id'] as const

/** The filters of a list of pipelines. */
export interface PipelineFilter {
  /** Selects the newest pipeline of each of these branches or tags. */
  readonly newestOf?: { readonly refs: readonly string[]; readonly tag: boolean } | undefined
  readonly statuses?: readonly PipelineRow['status'][] | undefined
  readonly ref?: string | undefined
  readonly sha?: string | undefined
  readonly yaml_errors?: boolean | undefined
  readonly user_id?: number | undefined
  readonly updated_after?: string | undefined
  readonly updated_before?: string | undefined
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
  /** Without this filter child pipelines are left out. */
  readonly source?: string | undefined
  readonly name?: string | undefined
  readonly merge_request_id?: number | undefined
  readonly schedule_id?: number | undefined
}

/** The requested page of the list, and its order. */
export interface PipelinePage {
  readonly order_by: string
  readonly sort: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

/** Selects the ID of the newest pipeline of each ref. */
function newestIds(projectId: number, { refs, tag }: NonNullable<PipelineFilter['newestOf']>) {
  return q
    .selectFrom('ci_pipelines')
    .select((eb) => eb.fn.max('id').as('id'))
    .where('project_id', '=', projectId)
    .where('ref', 'in', sql<string>`(SELECT value FROM json_each(${jsonList(refs)}))`)
    .where('tag', '=', tag)
    .where('source', '<>', 'parent_pipeline')
    .groupBy('ref')
}

function filteredQuery(projectId: number, filter: PipelineFilter) {
  let query = q.selectFrom('ci_pipelines').where('project_id', '=', projectId)
  for (const column of ['ref', 'sha', 'name', 'user_id', 'merge_request_id', 'schedule_id'] as const) {
    const value = filter[column]
    if (value !== undefined) query = query.where(column, '=', value)
  }
  for (const column of ['updated', 'created'] as const) {
    const [after, before] = [filter[`${column}_after`], filter[`${column}_before`]]
    if (after !== undefined) query = query.where(`${column}_at`, '>=', after)
    if (before !== undefined) query = query.where(`${column}_at`, '<=', before)
  }
  if (filter.statuses) query = query.where('status', 'in', [...filter.statuses])
  if (filter.yaml_errors !== undefined)
    query = query.where('yaml_errors', filter.yaml_errors ? 'is not' : 'is', null)
  if (filter.newestOf) query = query.where('id', 'in', newestIds(projectId, filter.newestOf))
  return filter.source === undefined
    ? query.where('source', '<>', 'parent_pipeline')
    : query.where('source', '=', filter.source)
}

/** A page of a project's pipelines. */
export function listPipelines(
  db: Database,
  projectId: number,
  filter: PipelineFilter,
  page: PipelinePage,
): Rows<PipelineRow> {
  const query = filteredQuery(projectId, filter)
  const order = ORDERS.find((name) => name === page.order_by) ?? 'id'
  let ordered = query.selectAll().orderBy(order, page.sort)
  if (order !== 'id') ordered = ordered.orderBy('id', page.sort)
  const rows = db.all(ordered.limit(page.limit).offset(page.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

/** A summary of the jobs of a pipeline. */
export interface Summary {
  /** The average coverage of the jobs that have one, in percent. */
  readonly coverage: number | null
  /** 1 if a job that is allowed to fail has failed or was canceled, otherwise 0. */
  readonly warnings: number
}

/** Summaries of the jobs of pipelines, without retried jobs, by the ID of the pipeline. */
export function summaries(db: Database, pipelineIds: readonly number[]): Map<number, Summary> {
  if (pipelineIds.length === 0) return new Map()
  const rows = db.many<Summary & { pipeline_id: number }>(
    `SELECT pipeline_id, avg(coverage) AS coverage,
       max(allow_failure = 1 AND status IN ('failed', 'canceled')) AS warnings
     FROM ci_jobs WHERE pipeline_id IN (SELECT value FROM json_each(?)) AND retried = 0 GROUP BY pipeline_id`,
    jsonList(pipelineIds),
  )
  return new Map(rows.map((row) => [row.pipeline_id, row]))
}
