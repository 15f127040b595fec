import type { Cause, Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import { NEXT } from './store.ts'

/** The records that have IIDs. */
export type NumberedTable = 'issues' | 'merge_requests' | 'milestones'

/** The scope of the IIDs: a project or a group. */
export type NumberScope = { readonly project_id: number } | { readonly group_id: number }

/** Advances the counter of IIDs by `step`, to at least `minimum`. Returns the new value. */
function reserve(
  db: Database,
  scope: NumberScope,
  usage: NumberedTable,
  step: number,
  minimum: number,
): number {
  const [column, owner] =
    'project_id' in scope
      ? (['project_id', scope.project_id] as const)
      : (['group_id', scope.group_id] as const)
  return db.one<{ last_value: number }>(NEXT(column), owner, usage, minimum, step)!.last_value
}

/** Returns the next IID in a project or group, counted from 1. Call it in the transaction that uses the IID. */
export function nextIid(db: Database, scope: NumberScope, usage: NumberedTable): number {
  return reserve(db, scope, usage, 1, 1)
}

/** Records an IID that the caller chose, so that `nextIid` does not return it again. */
export function recordIid(db: Database, scope: NumberScope, usage: NumberedTable, iid: number): void {
  reserve(db, scope, usage, 0, iid)
}

/** The IIDs that worlds chose, by the cause of the call that creates the record. */
const chosenIids = (db: Database) => db.instance('planning.chosen_iids', () => new WeakMap<Cause, number>())

/**
 * Chooses the IID of the issue or merge request that a call with this context creates. No endpoint offers this to all
 * its callers; a world restores the IIDs of its records.
 */
export function chooseIid(ctx: Ctx, iid: number): void {
  if (ctx.cause) chosenIids(ctx.db).set(ctx.cause, iid)
}

/** The IID that was chosen for the record that a call creates. */
export function chosenIid(ctx: Ctx): number | undefined {
  return ctx.cause ? chosenIids(ctx.db).get(ctx.cause) : undefined
}
