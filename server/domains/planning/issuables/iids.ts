import type { Database } from '../../../db/database.ts'

/** What numbers are given out for. */
export type NumberedTable = 'issues' | 'merge_requests' | 'milestones'

/** Whose numbers: those of a project, or of a group. */
export type NumberScope = { readonly project_id: number } | { readonly group_id: number }

const NEXT = (column: 'project_id' | 'group_id') => `
  INSERT INTO internal_ids (${column}, usage, last_value) VALUES (?, ?, ?)
  ON CONFLICT (${column}, usage) WHERE ${column} IS NOT NULL
  DO UPDATE SET last_value = max(last_value + ?, excluded.last_value) RETURNING last_value`

function take(db: Database, scope: NumberScope, usage: NumberedTable, step: number, least: number): number {
  const [column, owner] =
    'project_id' in scope
      ? (['project_id', scope.project_id] as const)
      : (['group_id', scope.group_id] as const)
  return db.one<{ last_value: number }>(NEXT(column), owner, usage, least, step)!.last_value
}

/** The next number of a thing in its project or group, from 1. To be called in the transaction that uses it. */
export function nextIid(db: Database, scope: NumberScope, usage: NumberedTable): number {
  return take(db, scope, usage, 1, 1)
}

/** Notes a number that was chosen by somebody, so that it is not given out again. */
export function keepIid(db: Database, scope: NumberScope, usage: NumberedTable, iid: number): void {
  take(db, scope, usage, 0, iid)
}
