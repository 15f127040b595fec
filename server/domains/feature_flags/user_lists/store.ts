import type { Insertable, Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import { boundedCount, contains } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { FeatureFlagUserListsTable } from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'

/** A user list for feature flags, as stored. */
export type UserListRow = Selectable<FeatureFlagUserListsTable>

/** The filters of a list of user lists. `search` is a part of the name, in any case. */
export interface UserListFilter {
  readonly project_id: number
  readonly search?: string | undefined
}

function userListsQuery({ project_id, search }: UserListFilter) {
  const query = q.selectFrom('feature_flag_user_lists').where('project_id', '=', project_id)
  return search ? query.where(contains('name', search)) : query
}

/** Returns one page of the user lists of a project, oldest first. */
export function list(
  db: Database,
  filter: UserListFilter,
  paging: { readonly limit: number; readonly offset: number },
): Rows<UserListRow> {
  const query = userListsQuery(filter)
  const rows = db.all(query.selectAll().orderBy('iid').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

export function byIid(db: Database, projectId: number, iid: number): UserListRow | undefined {
  return db.get(userListsQuery({ project_id: projectId }).selectAll().where('iid', '=', iid))
}

export function byName(db: Database, projectId: number, name: string): UserListRow | undefined {
  return db.get(userListsQuery({ project_id: projectId }).selectAll().where('name', '=', name))
}

/** Returns user lists by ID. */
export function byIds(db: Database, ids: readonly number[]): Map<number, UserListRow> {
  const rows = db.many<UserListRow>(
    'SELECT * FROM feature_flag_user_lists WHERE id IN (SELECT value FROM json_each(?))',
    jsonList([...new Set(ids)]),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Inserts a user list with the next IID of its project. */
export function insert(db: Database, row: Omit<Insertable<FeatureFlagUserListsTable>, 'iid'>): UserListRow {
  const newest = userListsQuery({ project_id: row.project_id }).select((eb) => eb.fn.max('iid').as('iid'))
  const iid = (db.get(newest)?.iid ?? 0) + 1
  const values = { ...row, iid }
  return db.get(q.insertInto('feature_flag_user_lists').values(values).returningAll())!
}

export const { update, remove } = table('feature_flag_user_lists')

/** Whether a strategy uses the user list. */
export function isUsed(db: Database, id: number): boolean {
  return db.one('SELECT 1 FROM feature_flag_strategies WHERE user_list_id = ? LIMIT 1', id) !== undefined
}
