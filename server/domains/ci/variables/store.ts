import type { Insertable, Selectable, Updateable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { CiVariablesTable } from '../../../db/schema.gen.ts'

/** A variable as stored; its value is sealed. */
export type VariableRow = Selectable<CiVariablesTable>
export type VariableColumns = Updateable<CiVariablesTable>

/** The owner of a variable; both null for the whole instance. */
export interface VariableScope {
  readonly project_id: number | null
  readonly group_id: number | null
}

function inScope({ project_id, group_id }: VariableScope) {
  // `IS ?` would not do: SQLite uses the index of a kind of owner only where its column is surely not null.
  return q
    .selectFrom('ci_variables')
    .where('project_id', project_id === null ? 'is' : '=', project_id)
    .where('group_id', group_id === null ? 'is' : '=', group_id)
}

/** One page of variables, oldest first. */
export function list(
  db: Database,
  scope: VariableScope,
  paging: { limit: number; offset: number },
): Rows<VariableRow> {
  const query = inScope(scope)
  const rows = db.all(query.selectAll().orderBy('id').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

/** How many variables an owner has. */
export function count(db: Database, scope: VariableScope): number {
  return db.get(inScope(scope).select((eb) => eb.fn.countAll<number>().as('count')))!.count
}

/** The variables of a key; several where they hold in different environments. */
export function named(db: Database, scope: VariableScope, key: string): VariableRow[] {
  return db.all(inScope(scope).selectAll().where('key', '=', key).orderBy('id'))
}

/** The variables that a project's pipelines could have: its own, of some groups, and of the instance. */
export function around(db: Database, projectId: number, groupIds: readonly number[]): VariableRow[] {
  return db.many<VariableRow>(
    `SELECT * FROM ci_variables WHERE project_id IS NULL AND group_id IS NULL
     UNION ALL SELECT * FROM ci_variables WHERE group_id IN (SELECT value FROM json_each(?))
     UNION ALL SELECT * FROM ci_variables WHERE project_id = ?`,
    JSON.stringify(groupIds),
    projectId,
  )
}

export function insert(db: Database, row: Insertable<CiVariablesTable>): VariableRow {
  return db.get(q.insertInto('ci_variables').values(row).returningAll())!
}

export function update(db: Database, id: number, columns: VariableColumns): VariableRow {
  return db.get(q.updateTable('ci_variables').set(columns).where('id', '=', id).returningAll())!
}

export function remove(db: Database, id: number): void {
  db.run(q.deleteFrom('ci_variables').where('id', '=', id))
}
