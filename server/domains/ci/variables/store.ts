import type { Selectable, Updateable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { CiVariablesTable } from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'

/** A variable as stored. Its value is encrypted. */
export type VariableRow = Selectable<CiVariablesTable>
export type VariableColumns = Updateable<CiVariablesTable>

/** The owner of a variable: a project, a group, or the instance if both are null. */
export interface VariableScope {
  readonly project_id: number | null
  readonly group_id: number | null
}

function inScope({ project_id, group_id }: VariableScope) {
  // `IS ?` would work for all owners, but with `= ?` SQLite can use the partial indexes of owners that are not null.
  return q
    .selectFrom('ci_variables')
    .where('project_id', project_id === null ? 'is' : '=', project_id)
    .where('group_id', group_id === null ? 'is' : '=', group_id)
}

/** A page of the variables of an owner, oldest first. */
export function list(
  db: Database,
  scope: VariableScope,
  paging: { limit: number; offset: number },
): Rows<VariableRow> {
  const query = inScope(scope)
  const rows = db.all(query.selectAll().orderBy('id').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

/** The number of variables of an owner. */
export function count(db: Database, scope: VariableScope): number {
  return db.get(inScope(scope).select((eb) => eb.fn.countAll<number>().as('count')))!.count
}

/** The variables of an owner with a key. There may be several with different environment scopes. */
export function withKey(db: Database, scope: VariableScope, key: string): VariableRow[] {
  return db.all(inScope(scope).selectAll().where('key', '=', key).orderBy('id'))
}

/** All variables for a project's pipelines: its own, those of the given groups, and those of the instance. */
export function ofPipelines(db: Database, projectId: number, groupIds: readonly number[]): VariableRow[] {
  return db.many<VariableRow>(
    `SELECT * FROM ci_variables WHERE project_id IS NULL AND group_id IS NULL
     UNION ALL SELECT * FROM ci_variables WHERE group_id IN (SELECT value FROM json_each(?))
     UNION ALL SELECT * FROM ci_variables WHERE project_id = ?`,
    JSON.stringify(groupIds),
    projectId,
  )
}

export const { insert, update, remove } = table('ci_variables')
