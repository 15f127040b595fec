import type { Selectable, Updateable } from 'kysely'

import { jsonList, q, type Database } from '../../../../db/database.ts'
import { boundedCount } from '../../../../db/lists.ts'
import type { Rows } from '../../../../db/rows.ts'
import type { DeploymentsTable } from '../../../../db/schema.gen.ts'
import { table } from '../../../../db/table.ts'
import type { JobRow } from '../../jobs/store.ts'

/** A deployment as stored. */
export type DeploymentRow = Selectable<DeploymentsTable>
export type DeploymentColumns = Updateable<DeploymentsTable>

/** The columns by which a list can be ordered. The first is the default. */
export const ORDERS = ['id', 'iid', 'created_at', 'updated_at', 'finished_at', 'ref'] as const

/** Filters of a list of deployments. */
export interface DeploymentFilter {
  readonly project_id: number
  readonly environment_id?: number | undefined
  readonly status?: DeploymentRow['status'] | undefined
  readonly updated_after?: string | undefined
  readonly updated_before?: string | undefined
  readonly finished_after?: string | undefined
  readonly finished_before?: string | undefined
}

/** The order and page of a list. */
export interface DeploymentPage {
  readonly order_by: string
  readonly sort: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

function filteredQuery(filter: DeploymentFilter) {
  let query = q.selectFrom('deployments').where('project_id', '=', filter.project_id)
  if (filter.environment_id !== undefined) query = query.where('environment_id', '=', filter.environment_id)
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  for (const column of ['updated', 'finished'] as const) {
    const [after, before] = [filter[`${column}_after`], filter[`${column}_before`]]
    if (after !== undefined) query = query.where(`${column}_at`, '>=', after)
    if (before !== undefined) query = query.where(`${column}_at`, '<=', before)
  }
  return query
}

/** One page of the deployments of a project. */
export function list(db: Database, filter: DeploymentFilter, page: DeploymentPage): Rows<DeploymentRow> {
  const column = ORDERS.find((entry) => entry === page.order_by) ?? 'id'
  let query = filteredQuery(filter).selectAll().orderBy(column, page.sort)
  if (column !== 'id') query = query.orderBy('id', page.sort)
  const rows = db.all(query.limit(page.limit).offset(page.offset))
  return { rows, total: boundedCount(db, filteredQuery(filter).select('id')) }
}

/** The next number of a project's deployments, from 1. Call it in the transaction that uses it. */
function nextIid(db: Database, projectId: number): number {
  return db.one<{ deployments: number }>(
    `INSERT INTO ci_counters (project_id, deployments) VALUES (?, 1)
     ON CONFLICT (project_id) DO UPDATE SET deployments = deployments + 1 RETURNING deployments`,
    projectId,
  )!.deployments
}

/** Stores a deployment with the next number of its project. */
export function insert(db: Database, row: Omit<DeploymentRow, 'id' | 'iid'>): DeploymentRow {
  const iid = nextIid(db, row.project_id)
  return db.get(
    q
      .insertInto('deployments')
      .values({ ...row, iid })
      .returningAll(),
  )!
}

export const { update, remove } = table('deployments')

export function byId(db: Database, projectId: number, id: number): DeploymentRow | undefined {
  const query = q.selectFrom('deployments').selectAll()
  return db.get(query.where('id', '=', id).where('project_id', '=', projectId))
}

/** The deployment of a job. */
export function ofJob(db: Database, jobId: number): DeploymentRow | undefined {
  return db.get(q.selectFrom('deployments').selectAll().where('job_id', '=', jobId))
}

/** The latest successful deployment of each environment. */
export function lastSuccesses(db: Database, environmentIds: readonly number[]): DeploymentRow[] {
  return db.many<DeploymentRow>(
    `SELECT d.* FROM json_each(?) AS e JOIN deployments d ON d.id =
       (SELECT max(id) FROM deployments WHERE environment_id = e.value AND status = 'success')`,
    jsonList(environmentIds),
  )
}

/** The jobs of the given deployments. */
export function jobsOf(db: Database, rows: readonly DeploymentRow[]): JobRow[] {
  return db.many<JobRow>(
    'SELECT * FROM ci_jobs WHERE id IN (SELECT value FROM json_each(?))',
    jsonList(rows.flatMap((row) => row.job_id ?? [])),
  )
}

/** The last successful deployment to the same environment before the given one. */
export function successBefore(
  db: Database,
  row: Pick<DeploymentRow, 'id' | 'environment_id'>,
): DeploymentRow | undefined {
  return db.one<DeploymentRow>(
    `SELECT * FROM deployments WHERE environment_id = ? AND status = 'success' AND id < ? ORDER BY id DESC LIMIT 1`,
    row.environment_id,
    row.id,
  )
}

/** The unfinished deployments of a pipeline's jobs. */
export function unfinishedOfPipeline(db: Database, pipelineId: number): DeploymentRow[] {
  return db.many<DeploymentRow>(
    `SELECT d.* FROM ci_jobs j JOIN deployments d ON d.job_id = j.id
     WHERE j.pipeline_id = ? AND j.environment IS NOT NULL AND d.status IN ('created', 'blocked', 'running')`,
    pipelineId,
  )
}
