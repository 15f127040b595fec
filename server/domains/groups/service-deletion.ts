import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { cron, type CronLine } from '../../jobs/job.ts'
import { addDays, isoDate } from '../../lib/clock.ts'
import { fail } from '../../lib/fail.ts'
import { namespaceById, namespaceTreeIds, removeNamespace, updateNamespace } from '../namespaces/index.ts'
import { deleteProjectsIn } from '../projects/index.ts'
import { settingsOf } from '../settings/index.ts'
import { GroupDeleted, GroupDeletionMarked, GroupRestored } from './events.ts'
import type { Group } from './types.ts'
import * as store from './store.ts'

/** Deletes, every night, the groups with an expired delay of deletion. */
export const crons: CronLine[] = [cron('groups.delete_marked', '25 0 * * *', deleteMarked)]

/** Options of a deletion. `permanently_remove` with the full path deletes a marked subgroup at once. */
export interface DeletionRequest {
  readonly permanently_remove?: boolean | undefined
  readonly full_path?: string | undefined
}

/**
 * Deletes a group at once, or marks it for deletion after a delay, as the settings require (spec administration 1.3).
 * Throws 400 when it is already marked, or when the path is wrong.
 */
export function requestDeletion(ctx: Ctx, group: Group, request: DeletionRequest): void {
  if (request.permanently_remove) return removePermanently(ctx, group, request.full_path)
  if (group.marked_for_deletion_on !== null)
    throw fail('bad_request', 'Group has been already marked for deletion')
  const { delayed_group_deletion, deletion_adjourned_period } = settingsOf(ctx)
  if (!delayed_group_deletion || deletion_adjourned_period === 0) return deleteGroup(ctx, group)
  tx(ctx.db, () => {
    const mark = { marked_for_deletion_on: isoDate(ctx.now), deleting_user_id: ctx.actor.id }
    updateNamespace(ctx.db, group.id, { ...mark, updated_at: ctx.now })
    publish(ctx, GroupDeletionMarked, { group_id: group.id, actor_id: ctx.actor.id })
  })
}

function removePermanently(ctx: Ctx, group: Group, confirmation: string | undefined): void {
  if (group.parent_id === null)
    throw fail('bad_request', '`permanently_remove` option is only available for subgroups.')
  if (group.marked_for_deletion_on === null)
    throw fail('bad_request', 'Subgroup must be marked for deletion first.')
  if (confirmation !== group.full_path)
    throw fail('bad_request', '`full_path` is incorrect. You must enter the complete path for the subgroup.')
  deleteGroup(ctx, group)
}

/** Restores a group that is marked for deletion. Throws 400 if it is not marked. */
export function restoreGroup(ctx: Ctx, group: Group): Group {
  if (group.marked_for_deletion_on === null)
    throw fail('bad_request', 'Group has not been marked for deletion')
  return tx(ctx.db, () => {
    const unmarked = { marked_for_deletion_on: null, deleting_user_id: null }
    publish(ctx, GroupRestored, { group_id: group.id, actor_id: ctx.actor.id })
    return updateNamespace(ctx.db, group.id, { ...unmarked, updated_at: ctx.now }) as Group
  })
}

/** Deletes the marked groups with an expired delay. A cron job calls it. */
export function deleteMarked(ctx: Ctx): void {
  const day = isoDate(addDays(ctx.now, -settingsOf(ctx).deletion_adjourned_period))
  for (const id of store.markedUntil(ctx.db, day)) {
    // It may have been deleted together with an ancestor.
    const group = namespaceById(ctx.db, id) as Group | undefined
    if (group) deleteGroup(ctx, group)
  }
}

/** Deletes a group with everything below it, the deepest first. Jobs delete the repositories. */
export function deleteGroup(ctx: Ctx, group: Group): void {
  tx(ctx.db, () => {
    const ids = namespaceTreeIds(ctx.db, group.id)
    deleteProjectsIn(ctx, ids)
    for (const deletedGroup of store.deepestFirst(ctx.db, ids)) {
      removeNamespace(ctx.db, deletedGroup.id)
      const { id: group_id, ...details } = deletedGroup
      const actor_id = ctx.actor.id ?? group.deleting_user_id
      publish(ctx, GroupDeleted, { group_id, actor_id, ...details })
    }
  })
}
