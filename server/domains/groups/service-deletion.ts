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

/** Deletes groups every night after the delay since they were marked for deletion. */
export const crons: CronLine[] = [cron('groups.delete_marked', '25 0 * * *', deleteMarked)]

/** The parameters of a deletion. `permanently_remove` deletes a marked subgroup at once; its full path confirms. */
export interface DeletionRequest {
  readonly permanently_remove?: boolean | undefined
  readonly full_path?: string | undefined
}

/**
 * Deletes a group at once, or marks it for deletion after a delay, depending on the settings (spec administration
 * 1.3). Throws 400 if it is already marked, or if `full_path` is incorrect.
 */
export function requestDeletion(ctx: Ctx, group: Group, request: DeletionRequest): void {
  if (request.permanently_remove) return deletePermanently(ctx, group, request.full_path)
  if (group.marked_for_deletion_on !== null)
    throw fail('bad_request', 'Group has been already marked for deletion')
  const { delayed_group_deletion, deletion_adjourned_period } = settingsOf(ctx)
  if (!delayed_group_deletion || deletion_adjourned_period === 0) return deleteGroup(ctx, group)
  tx(ctx.db, () => {
    const deletionColumns = { marked_for_deletion_on: isoDate(ctx.now), deleting_user_id: ctx.actor.id }
    updateNamespace(ctx.db, group.id, { ...deletionColumns, updated_at: ctx.now })
    publish(ctx, GroupDeletionMarked, { group_id: group.id, actor_id: ctx.actor.id })
  })
}

function deletePermanently(ctx: Ctx, group: Group, confirmation: string | undefined): void {
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
    const deletionColumns = { marked_for_deletion_on: null, deleting_user_id: null }
    publish(ctx, GroupRestored, { group_id: group.id, actor_id: ctx.actor.id })
    return updateNamespace(ctx.db, group.id, { ...deletionColumns, updated_at: ctx.now }) as Group
  })
}

/** Deletes marked groups after the delay in the settings. A cron runs it. */
export function deleteMarked(ctx: Ctx): void {
  const day = isoDate(addDays(ctx.now, -settingsOf(ctx).deletion_adjourned_period))
  for (const id of store.markedUntil(ctx.db, day)) {
    // The group may have been deleted with an ancestor.
    const group = namespaceById(ctx.db, id) as Group | undefined
    if (group) deleteGroup(ctx, group)
  }
}

/** Deletes a group with everything below it, the deepest groups first. Jobs delete the repositories. */
export function deleteGroup(ctx: Ctx, group: Group): void {
  tx(ctx.db, () => {
    const ids = namespaceTreeIds(ctx.db, group.id)
    deleteProjectsIn(ctx, ids)
    for (const deletedGroup of store.groupsDeepestFirst(ctx.db, ids)) {
      removeNamespace(ctx.db, deletedGroup.id)
      const { id: group_id, ...details } = deletedGroup
      const actor_id = ctx.actor.id ?? group.deleting_user_id
      publish(ctx, GroupDeleted, { group_id, actor_id, ...details })
    }
  })
}
