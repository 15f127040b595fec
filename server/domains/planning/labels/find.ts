import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import { notFound } from '../../../lib/fail.ts'
import type { LabelRow } from './label.ts'
import type { LabelOwner } from './owner.ts'
import * as store from './store.ts'

/**
 * The label that an id or a title means for its owner; an id goes first where the title is a number. `inherited` says
 * whether labels of the groups above count. Throws `404 Label Not Found`.
 */
export function findLabel(ctx: Ctx, owner: LabelOwner, reference: string, inherited: boolean): LabelRow {
  const isUsable = (row: LabelRow): boolean => isOwn(owner, row) || (inherited && isAbove(owner, row))
  const byId = /^\d{1,15}$/.test(reference) ? store.byId(ctx.db, Number(reference)) : undefined
  if (byId && isUsable(byId)) return byId
  const found = store.titled(ctx.db, owner, [reference]).find(isUsable)
  if (!found) throw notFound('Label')
  return found
}

/** True for a label of the owner itself. */
export function isOwn(owner: LabelOwner, row: LabelRow): boolean {
  return owner.kind === 'project' ? row.project_id === owner.id : row.group_id === owner.id
}

function isAbove(owner: LabelOwner, row: LabelRow): boolean {
  return row.group_id !== null && (JSON.parse(owner.lineage) as number[]).includes(row.group_id)
}

/** The label of that id if a project or group can use it: its own, or one of a group above it. */
export function usableLabel(db: Database, owner: LabelOwner, id: number): LabelRow | undefined {
  const found = store.byId(db, id)
  return found && (isOwn(owner, found) || isAbove(owner, found)) ? found : undefined
}
