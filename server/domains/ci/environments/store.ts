import type { Insertable, Selectable, Updateable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import { boundedCount, contains } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { EnvironmentsTable } from '../../../db/schema.gen.ts'

/** An environment as stored. */
export type EnvironmentRow = Selectable<EnvironmentsTable>
export type EnvironmentColumns = Updateable<EnvironmentsTable>
/** Whether something runs there (spec ci 5.3). */
export type EnvironmentState = 'available' | 'stopping' | 'stopped'

/** What a list of environments is narrowed to. */
export interface EnvironmentFilter {
  readonly project_id: number
  readonly name?: string | undefined
  /** A part of the name, in any case. */
  readonly search?: string | undefined
  readonly states?: EnvironmentState | undefined
}

function selected(filter: EnvironmentFilter) {
  let query = q.selectFrom('environments').where('project_id', '=', filter.project_id)
  if (filter.name !== undefined) query = query.where('name', '=', filter.name)
  if (filter.search) query = query.where(contains('name', filter.search))
  if (filter.states) query = query.where('state', '=', filter.states)
  return query
}

/** One page of the environments of a project, by name. */
export function list(
  db: Database,
  filter: EnvironmentFilter,
  paging: { readonly limit: number; readonly offset: number },
): Rows<EnvironmentRow> {
  const query = selected(filter)
  const rows = db.all(query.selectAll().orderBy('name').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

export function byId(db: Database, projectId: number, id: number): EnvironmentRow | undefined {
  const query = q.selectFrom('environments').selectAll()
  return db.get(query.where('id', '=', id).where('project_id', '=', projectId))
}

export function byName(db: Database, projectId: number, name: string): EnvironmentRow | undefined {
  const query = q.selectFrom('environments').selectAll()
  return db.get(query.where('project_id', '=', projectId).where('name', '=', name))
}

export function bySlug(db: Database, projectId: number, slug: string): EnvironmentRow | undefined {
  const query = q.selectFrom('environments').selectAll()
  return db.get(query.where('project_id', '=', projectId).where('slug', '=', slug))
}

/** Environments by their ids, in one query. */
export function byIds(db: Database, ids: readonly number[]): Map<number, EnvironmentRow> {
  const rows = db.many<EnvironmentRow>(
    'SELECT * FROM environments WHERE id IN (SELECT value FROM json_each(?))',
    jsonList([...new Set(ids)]),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

export function insert(db: Database, row: Insertable<EnvironmentsTable>): EnvironmentRow {
  return db.get(q.insertInto('environments').values(row).returningAll())!
}

export function update(db: Database, id: number, columns: EnvironmentColumns): EnvironmentRow {
  return db.get(q.updateTable('environments').set(columns).where('id', '=', id).returningAll())!
}

export function remove(db: Database, id: number): void {
  db.run(q.deleteFrom('environments').where('id', '=', id))
}
