import { sql, type RawBuilder } from 'kysely'

import { jsonList, type Database } from '../../../../db/database.ts'
import { boundedCount, contains, selectAll } from '../../../../db/lists.ts'
import type { Rows } from '../../../../db/rows.ts'
import type { DeploymentRow } from '../deployments/store.ts'
import type { EnvironmentRow } from '../store.ts'

/** The tab of the list: active or stopped environments. */
export type Side = 'active' | 'stopped'

/** Filters of the list. */
export interface ItemFilter {
  readonly project_id: number
  readonly side: Side
  /** A part of the name, case-insensitive. */
  readonly search?: string | undefined
  /** Selects the environments of this folder. */
  readonly folder?: string | undefined
}

/** A folder with its last changed environment, or an environment outside of folders. */
export interface FolderItem {
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

function conditions({ project_id, side, search, folder }: ItemFilter): RawBuilder<unknown> {
  const all = [sql`project_id = ${project_id}`, SIDES[side]]
  if (search) all.push(contains('name', search))
  if (folder !== undefined) all.push(sql`environment_type = ${folder}`)
  return sql.join(all, sql` AND `)
}

/** Lists folders and the environments outside of folders, by name. With `folder` or `search` it lists all environments. */
export function listItems(db: Database, filter: ItemFilter, paging: Paging): Rows<FolderItem> {
  const isFlat = filter.folder !== undefined || filter.search !== undefined
  // SQLite takes the other columns from the row with the maximum of `updated_at`.
  const group = isFlat ? sql`id` : sql`ifnull(environment_type || '/', id)`
  const folder = isFlat ? sql`NULL` : sql`environment_type`
  const from = sql`FROM environments WHERE ${conditions(filter)}`
  const rows = selectAll(
    db,
    sql<FolderItem & { latest: string }>`
      SELECT ${folder} AS folder, count(*) AS size, id AS environment_id, max(updated_at) AS latest ${from}
      GROUP BY ${group} ORDER BY ifnull(${folder}, name) COLLATE NOCASE, id LIMIT ${paging.limit} OFFSET ${paging.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT DISTINCT ${group} AS line ${from}`) }
}

/** The numbers of active and of stopped environments. */
export function counts(db: Database, projectId: number): { active: number; stopped: number } {
  return db.one<{ active: number; stopped: number }>(
    `SELECT count(*) FILTER (WHERE state <> 'stopped') AS active, count(*) FILTER (WHERE state = 'stopped') AS stopped
     FROM environments WHERE project_id = ?`,
    projectId,
  )!
}

/** The latest running or failed deployment of each environment. */
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

/** A page of the deployments of an environment, the latest first. */
export function deployments(db: Database, environment: EnvironmentRow, paging: Paging): Rows<DeploymentRow> {
  const from = sql`FROM deployments WHERE environment_id = ${environment.id}`
  const page = sql<DeploymentRow>`SELECT * ${from} ORDER BY id DESC LIMIT ${paging.limit} OFFSET ${paging.offset}`
  return { rows: selectAll(db, page), total: boundedCount(db, sql`SELECT id ${from}`) }
}
