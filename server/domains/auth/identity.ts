import type { Ctx } from '../../ctx.ts'
import { isoDate } from '../../lib/clock.ts'
import type { UserActor } from '../../policy/actor.ts'
import type { Identity } from './store.ts'

/** The actor that stands for a user. */
export function actorOf(
  identity: Identity,
  more: Pick<UserActor, 'scopes' | 'via' | 'token_id' | 'session_id' | 'sudo_by'>,
): UserActor {
  return {
    kind: 'user',
    id: identity.user_id,
    username: identity.username,
    name: identity.name,
    email: identity.email,
    is_admin: identity.is_admin,
    external: identity.external,
    auditor: identity.is_auditor,
    ...more,
  }
}

/** The scopes of a token as stored, as a set; the same text gives the same set for as long as nothing is written. */
export function scopeSet(ctx: Ctx, stored: string): ReadonlySet<string> {
  return ctx.db.remember(`scopes:${stored}`, () => new Set(JSON.parse(stored) as string[]))
}

/** Notes the day on which a user was last active. */
export function noteActivity(ctx: Ctx, userId: number): void {
  const today = isoDate(ctx.now)
  const sql = 'UPDATE users SET last_activity_on = ? WHERE id = ? AND last_activity_on IS NOT ?'
  ctx.bookkeeping.note(`user-active:${userId}`, sql, today, userId, today)
}
