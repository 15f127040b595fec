import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { isoDate } from '../../lib/clock.ts'
import { MemberRemoved, ShareExpired } from './events.ts'
import type { MemberView } from './list.ts'
import { checkMayLose, getMember } from './service.ts'
import * as store from './store.ts'
import type { Managed } from './terms.ts'

/** How a membership is ended. */
export interface Leaving {
  /** Leave the memberships of the subgroups and projects below as they are. */
  readonly keepBelow: boolean
  readonly unassign: boolean
  /** Throws for who may not, knowing the member. */
  readonly check: (member: MemberView) => void
}

type Cause = 'removed' | 'left' | 'expired'

/** Ends a direct membership, and below a group those of its subgroups and projects unless they are to stay. */
export function removeMember(ctx: Ctx, managed: Managed, userId: number, leaving: Leaving): void {
  tx(ctx.db, () => {
    const { source: place } = managed
    const member = getMember(ctx, place, userId, false)
    leaving.check(member)
    checkMayLose(ctx, managed, member)
    const cause = ctx.actor.id === userId ? 'left' : 'removed'
    const below =
      place.title === 'group' && !leaving.keepBelow ? store.belowGroup(ctx.db, place.id, userId) : []
    for (const row of [...below, store.byId(ctx.db, member.member_id)!]) {
      forget(ctx, row, cause, leaving.unassign)
    }
  })
}

function forget(ctx: Ctx, row: store.MemberRow, cause: Cause, unassign: boolean): void {
  store.remove(ctx.db, row.id)
  publish(ctx, MemberRemoved, {
    ...(row.project_id === null ? { group_id: row.namespace_id! } : { project_id: row.project_id }),
    user_id: row.user_id,
    access_level: row.access_level,
    expires_at: row.expires_at,
    created_at: row.created_at,
    actor_id: ctx.actor.id,
    cause,
    unassign_issuables: unassign,
  })
}

/** Removes the memberships, invited groups and invitations whose day has come, and tells. They count for nothing before. */
export function removeExpired(ctx: Ctx): void {
  const today = isoDate(ctx.now)
  tx(ctx.db, () => {
    for (const row of store.expired(ctx.db, today)) forget(ctx, row, 'expired', false)
    for (const link of store.takeExpiredLinks(ctx.db, today)) {
      publish(ctx, ShareExpired, { group_id: link.shared_group_id, invited_group_id: link.group_id })
    }
    store.removeExpiredInvitations(ctx.db, today)
  })
}
