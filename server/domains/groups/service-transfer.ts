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
import { narrowProjectsIn } from '../projects/index.ts'
import { GroupTransferred, GroupUpdated } from './events.ts'
import type { Group } from './types.ts'
import { copyToSubgroups, fromParent } from './service-settings.ts'
import { depthOf, isTaken, MAX_ANCESTORS, mayCreate } from './validation.ts'
import { visibleGroup } from './policy.ts'
import * as store from './store.ts'
import { list, transferConditions } from './store-list.ts'

/**
 * Moves a group with everything below it to another group, or to the top level (spec core 2.2). The group inherits the
 * limits of the parent: a narrower visibility, a lock on sharing and disabled shared runners. Throws 404 for an
 * invisible parent, 400 with the reason if the parent cannot accept the group.
 */
export function transferGroup(ctx: Ctx, group: Group, parentId: number | undefined): Group {
  return tx(ctx.db, () => {
    const parent = parentId === undefined ? undefined : visibleGroup(ctx, parentId)
    const reason = obstacle(ctx, group, parent)
    if (reason) throw fail('bad_request', `Transfer failed: ${reason}`)
    storeRedirectsBelow(ctx.db, group.id, ctx.now)
    const { name, path } = group
    moveNamespace(ctx.db, group, { name, path, parent, updated_at: ctx.now })
    endRedirectsBelow(ctx.db, group.id)
    const moved = parent ? fitInto(ctx, group, parent) : ensureTopOwner(ctx, group)
    publish(ctx, GroupTransferred, {
      group_id: group.id,
      actor_id: ctx.actor.id,
      old_full_path: group.full_path,
      full_path: moved.full_path,
      old_parent_id: group.parent_id,
      parent_id: moved.parent_id,
    })
    return moved
  })
}

/** Returns the reason why a group cannot move there, in the contract's words. */
function obstacle(ctx: Ctx, group: Group, parent: Group | undefined): string | undefined {
  if (!parent && group.parent_id === null) return 'Group is already a root group.'
  if (parent && parent.id === group.parent_id) return 'Group is already associated to the parent group.'
  if (parent && (JSON.parse(parent.lineage) as number[]).includes(group.id))
    return 'Cannot transfer group to one of its subgroup.'
  if (!mayCreate(ctx, parent)) return "You don't have enough permissions."
  if (isTaken(ctx, group, parent)) {
    return parent
      ? 'The parent group already has a subgroup or a project with the same path.'
      : 'Path has already been taken'
  }
  if (parent && store.nameTaken(ctx.db, parent.id, group.name, group.id)) return 'Name has already been taken'
  const isTooDeep = parent && depthOf(parent) + namespaceHeight(ctx.db, group.id) > MAX_ANCESTORS
  return isTooDeep ? 'Parent has too deep level of nesting' : undefined
}

function fitInto(ctx: Ctx, group: Group, parent: Group): Group {
  const widest = parent.visibility as Visibility
  const ids = namespaceTreeIds(ctx.db, group.id)
  for (const id of store.widerThan(ctx.db, ids, widest)) {
    updateNamespace(ctx.db, id, { visibility: widest, updated_at: ctx.now })
    publish(ctx, GroupUpdated, { group_id: id, actor_id: ctx.actor.id, changed: ['visibility'] })
  }
  narrowProjectsIn(ctx, ids, widest)
  const taken = {
    ...(parent.share_with_group_lock ? { share_with_group_lock: true } : {}),
    ...(parent.shared_runners_setting === 'enabled' ? {} : fromParent(parent)),
    prevent_sharing_groups_outside_hierarchy: false,
    ip_restriction_ranges: null,
  }
  const moved = updateNamespace(ctx.db, group.id, { ...taken, updated_at: ctx.now }) as Group
  copyToSubgroups(ctx, moved, group)
  return moved
}

/** A top-level group inherits no owner. If it has no owner of its own, the actor becomes one. */
function ensureTopOwner(ctx: Ctx, group: Group): Group {
  const moved = namespaceById(ctx.db, group.id) as Group
  ensureOwner(ctx, groupSource(moved))
  return moved
}

/** Lists the groups that the actor may transfer a group to, by full path. */
export function transferLocations(
  ctx: Ctx,
  group: Group,
  search: string | undefined,
  window: { limit: number; offset: number },
) {
  const page = { order_by: 'full_path', sort: 'asc' as const, ...window, keyset: false }
  return list(ctx.db, { conditions: transferConditions(ctx, group), search }, page)
}
