import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import { notFound } from '../../../lib/fail.ts'
import type { LabelRow } from './label.ts'
import type { PlanningOwner } from '../types-owner.ts'
import * as store from './store.ts'

/**
 * Finds a label by its ID or title. A number is tried as an ID first. `inherited` includes the labels of parent groups.
 * Throws `404 Label Not Found`.
 */
export function findLabel(ctx: Ctx, owner: PlanningOwner, reference: string, inherited: boolean): LabelRow {
  const isUsable = (row: LabelRow): boolean => isOwn(owner, row) || (inherited && isAbove(owner, row))
  const byId = /^\d{1,15}$/.test(reference) ? store.byId(ctx.db, Number(reference)) : undefined
  if (byId && isUsable(byId)) return byId
  const found = store.titled(ctx.db, owner, [reference]).find(isUsable)
  if (!found) throw notFound('Label')
  return found
}

/** Whether a label belongs to the owner itself. */
export function isOwn(owner: PlanningOwner, row: LabelRow): boolean {
  return owner.kind === 'project' ? row.project_id === owner.id : row.group_id === owner.id
}

function isAbove(owner: PlanningOwner, row: LabelRow): boolean {
  return row.group_id !== null && (JSON.parse(owner.lineage) as number[]).includes(row.group_id)
}

/** Returns the label with this ID if it belongs to the owner or to one of its parent groups. */
export function usableLabel(db: Database, owner: PlanningOwner, id: number): LabelRow | undefined {
  const found = store.byId(db, id)
  return found && (isOwn(owner, found) || isAbove(owner, found)) ? found : undefined
}
