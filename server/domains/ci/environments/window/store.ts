import { sql, type RawBuilder } from 'kysely'

import { jsonList, type Database } from '../../../../db/database.ts'
import { boundedCount, contains, selectAll } from '../../../../db/lists.ts'
import type { Rows } from '../../../../db/rows.ts'
import type { DeploymentRow } from '../deployments/store.ts'
import type { EnvironmentRow } from '../store.ts'

/** What a page of the window shows: what is up, or what was stopped. */
export type Side = 'active' | 'stopped'

/** What the window's list is narrowed to. */
export interface LineFilter {
  readonly project_id: number
  readonly side: Side
  /** A part of the name, in any case. */
  readonly search?: string | undefined
  /** Only what lies in this folder. */
  readonly folder?: string | undefined
}

/** A folder with its environment that changed last, or an environment that lies in none. */
export interface Line {
  readonly folder: string | null
  readonly size: number
  readonly environment_id: number
}

interface Paging {
  readonly limit: number
  readonly offset: number
}

const SIDES: Readonly<Record<Side, RawBuilder<unknown>>> = {
  active: sql`state IN ('available', 'stopping')`,
  stopped: sql`state = 'stopped'`,
}

function conditions({ project_id, side, search, folder }: LineFilter): RawBuilder<unknown> {
  const all = [sql`project_id = ${project_id}`, SIDES[side]]
  if (search) all.push(contains('name', search))
  if (folder !== undefined) all.push(sql`environment_type = ${folder}`)
  return sql.join(all, sql` AND `)
}

/** Folders and environments outside of them, by name. Inside of a folder, and in a search, every environment by itself. */
export function lines(db: Database, filter: LineFilter, paging: Paging): Rows<Line> {
  const isFlat = filter.folder !== undefined || filter.search !== undefined
  // SQLite takes the other columns from the row that has the maximum.
  const group = isFlat ? sql`id` : sql`ifnull(environment_type || '/', id)`
  const folder = isFlat ? sql`NULL` : sql`environment_type`
  const from = sql`FROM environments WHERE ${conditions(filter)}`
  const rows = selectAll(
    db,
    sql<Line & { latest: string }>`
      SELECT ${folder} AS folder, count(*) AS size, id AS environment_id, max(updated_at) AS latest ${from}
      GROUP BY ${group} ORDER BY ifnull(${folder}, name) COLLATE NOCASE, id LIMIT ${paging.limit} OFFSET ${paging.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT DISTINCT ${group} AS line ${from}`) }
}

/** How many environments there are on each side. */
export function counts(db: Database, projectId: number): { active: number; stopped: number } {
  return db.one<{ active: number; stopped: number }>(
    `SELECT count(*) FILTER (WHERE state <> 'stopped') AS active, count(*) FILTER (WHERE state = 'stopped') AS stopped
     FROM environments WHERE project_id = ?`,
    projectId,
  )!
}

/** Of each of these environments the latest deployment that is under way, or that failed. */
export function latestIn(
  db: Database,
  environmentIds: readonly number[],
  status: 'running' | 'failed',
): DeploymentRow[] {
  return db.many<DeploymentRow>(
    `SELECT d.* FROM json_each(?) AS e JOIN deployments d ON d.id =
       (SELECT max(id) FROM deployments WHERE environment_id = e.value AND status = ?)`,
    jsonList(environmentIds),
    status,
  )
}

/** One page of what was brought to an environment, the latest first. */
export function deployments(db: Database, environment: EnvironmentRow, paging: Paging): Rows<DeploymentRow> {
  const from = sql`FROM deployments WHERE environment_id = ${environment.id}`
  const page = sql<DeploymentRow>`SELECT * ${from} ORDER BY id DESC LIMIT ${paging.limit} OFFSET ${paging.offset}`
  return { rows: selectAll(db, page), total: boundedCount(db, sql`SELECT id ${from}`) }
}
