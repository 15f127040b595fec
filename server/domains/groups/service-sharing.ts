import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail, invalid, notFound } from '../../lib/fail.ts'
import { roleOnNamespace } from '../members/index.ts'
import { namespaceById } from '../namespaces/index.ts'
import { GroupShared, GroupUnshared } from './events.ts'
import type { Group } from './types.ts'
import { visibleGroup } from './policy.ts'
import * as store from './store.ts'

/** A group to invite, and the highest access level of its members. */
export interface ShareRequest {
  readonly group_id: number
  readonly group_access: number
  readonly expires_at?: string | null | undefined
}

const topOf = (group: Group): number => (JSON.parse(group.lineage) as number[])[0]!

/**
 * Invites a group to another (spec core 2.2). Throws 404 for an invisible group, and for one outside of a hierarchy
 * that allows shares only within itself; 403 above the actor's own level; 409 for an existing share; 400 for a past
 * day.
 */
export function shareGroup(ctx: Ctx, group: Group, given: ShareRequest): void {
  tx(ctx.db, () => {
    const invited = visibleGroup(ctx, given.group_id)
    if (invited.id === group.id) throw fail('bad_request', 'A group cannot be shared with itself')
    const top = namespaceById(ctx.db, topOf(group))
    if (top?.prevent_sharing_groups_outside_hierarchy === true && topOf(invited) !== top.id) throw notFound()
    if (!ctx.actor.is_admin && given.group_access > roleOnNamespace(ctx, group)) throw fail('forbidden')
    const expires_at = given.expires_at ?? null
    if (expires_at !== null && expires_at <= isoDate(ctx.now))
      throw invalid({ expires_at: 'cannot be a date in the past' })
    removeExpired(ctx, group, invited.id)
    store.insertShare(ctx.db, {
      shared_group_id: group.id,
      group_id: invited.id,
      access_level: given.group_access,
      expires_at,
      created_at: ctx.now,
    })
    const { group_access: access_level } = given
    publish(ctx, GroupShared, { ...eventOf(ctx, group, invited.id), access_level, expires_at })
  })
}

/** Deletes an expired share, so that the group can be invited again. Throws 409 for a share that has not expired. */
function removeExpired(ctx: Ctx, group: Group, invitedId: number): void {
  const link = store.findShare(ctx.db, group.id, invitedId)
  if (!link) return
  if (link.expires_at === null || link.expires_at > isoDate(ctx.now))
    throw fail('conflict', 'The group has already been shared with this group')
  store.removeShare(ctx.db, link.id)
}

function eventOf(ctx: Ctx, group: Group, invitedId: number) {
  return { group_id: group.id, invited_group_id: invitedId, actor_id: ctx.actor.id }
}

/** Ends the share with an invited group. Throws `404 Group Link Not Found`. */
export function unshareGroup(ctx: Ctx, group: Group, invitedId: number): void {
  tx(ctx.db, () => {
    const link = store.findShare(ctx.db, group.id, invitedId)
    if (!link) throw notFound('Group Link')
    store.removeShare(ctx.db, link.id)
    publish(ctx, GroupUnshared, {
      ...eventOf(ctx, group, invitedId),
      access_level: link.access_level,
    })
  })
}
