import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { fail } from '../../lib/fail.ts'
import type { Visibility } from '../../policy/levels.ts'
import { ensureOwner, groupSource } from '../members/index.ts'
import {
  endRedirectsBelow,
  storeRedirectsBelow,
  moveNamespace,
  namespaceById,
  namespaceHeight,
  namespaceTreeIds,
  updateNamespace,
} from '../namespaces/index.ts'
import { lowerVisibilityIn } from '../projects/index.ts'
import { GroupTransferred, GroupUpdated } from './events.ts'
import type { Group } from './types.ts'
import { copyToSubgroups, inheritedSettings } from './service-settings.ts'
import { depthOf, isPathTaken, MAX_ANCESTORS, mayCreate } from './validation.ts'
import { visibleGroup } from './policy.ts'
import * as store from './store.ts'
import { list, transferConditions } from './store-list.ts'

/**
 * Moves a group with everything below it to another group, or to the top level (spec core 2.2). The group inherits
 * the limits of the parent: a lower visibility, the sharing lock and disabled shared runners. Throws 404 for a parent
 * that the actor may not see, 400 with the reason if the group cannot be moved there.
 */
export function transferGroup(ctx: Ctx, group: Group, parentId: number | undefined): Group {
  return tx(ctx.db, () => {
    const parent = parentId === undefined ? undefined : visibleGroup(ctx, parentId)
    const reason = transferProblem(ctx, group, parent)
    if (reason) throw fail('bad_request', `Transfer failed: ${reason}`)
    storeRedirectsBelow(ctx.db, group.id, ctx.now)
    const { name, path } = group
    moveNamespace(ctx.db, group, { name, path, parent, updated_at: ctx.now })
    endRedirectsBelow(ctx.db, group.id)
    const movedGroup = parent ? applyParentLimits(ctx, group, parent) : ensureTopOwner(ctx, group)
    publish(ctx, GroupTransferred, {
      group_id: group.id,
      actor_id: ctx.actor.id,
      old_full_path: group.full_path,
      full_path: movedGroup.full_path,
      old_parent_id: group.parent_id,
      parent_id: movedGroup.parent_id,
    })
    return movedGroup
  })
}

/** Returns the contract's message if a group cannot be moved to a parent or to the top level. */
function transferProblem(ctx: Ctx, group: Group, parent: Group | undefined): string | undefined {
  if (!parent && group.parent_id === null) return 'Group is already a root group.'
  if (parent && parent.id === group.parent_id) return 'Group is already associated to the parent group.'
  if (parent && (JSON.parse(parent.lineage) as number[]).includes(group.id))
    return 'Cannot transfer group to one of its subgroup.'
  if (!mayCreate(ctx, parent)) return "You don't have enough permissions."
  if (isPathTaken(ctx, group, parent)) {
    return parent
      ? 'The parent group already has a subgroup or a project with the same path.'
      : 'Path has already been taken'
  }
  if (parent && store.isNameTaken(ctx.db, parent.id, group.name, group.id))
    return 'Name has already been taken'
  const isTooDeep = parent && depthOf(parent) + namespaceHeight(ctx.db, group.id) > MAX_ANCESTORS
  return isTooDeep ? 'Parent has too deep level of nesting' : undefined
}

/** Lowers the visibility and changes the settings of a moved group to those that its new parent allows. */
function applyParentLimits(ctx: Ctx, group: Group, parent: Group): Group {
  const widest = parent.visibility as Visibility
  const ids = namespaceTreeIds(ctx.db, group.id)
  for (const id of store.groupsWiderThan(ctx.db, ids, widest)) {
    updateNamespace(ctx.db, id, { visibility: widest, updated_at: ctx.now })
    publish(ctx, GroupUpdated, { group_id: id, actor_id: ctx.actor.id, changed: ['visibility'] })
  }
  lowerVisibilityIn(ctx, ids, widest)
  const parentSettings = {
    ...(parent.share_with_group_lock ? { share_with_group_lock: true } : {}),
    ...(parent.shared_runners_setting === 'enabled' ? {} : inheritedSettings(parent)),
    prevent_sharing_groups_outside_hierarchy: false,
    ip_restriction_ranges: null,
  }
  const movedGroup = updateNamespace(ctx.db, group.id, { ...parentSettings, updated_at: ctx.now }) as Group
  copyToSubgroups(ctx, movedGroup, group)
  return movedGroup
}

/** Makes the actor an owner of a new top-level group without an owner, because it inherits none. */
function ensureTopOwner(ctx: Ctx, group: Group): Group {
  const movedGroup = namespaceById(ctx.db, group.id) as Group
  ensureOwner(ctx, groupSource(movedGroup))
  return movedGroup
}

/** Returns one page of the groups to which the actor may transfer a group, ordered by full path. */
export function transferLocations(
  ctx: Ctx,
  group: Group,
  search: string | undefined,
  window: { limit: number; offset: number },
) {
  const page = { order_by: 'full_path', sort: 'asc' as const, ...window, keyset: false }
  return list(ctx.db, { conditions: transferConditions(ctx, group), search }, page)
}
