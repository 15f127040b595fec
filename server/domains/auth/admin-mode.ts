import type { Ctx } from '../../ctx.ts'
import { isoTime } from '../../lib/clock.ts'
import { fail } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'
import { userById } from '../users/index.ts'
import { isPasswordOf } from './passwords.ts'
import { setAdminUntil } from './store.ts'
import { guarded, type Asking } from './throttle.ts'

/** How long a session has the rights of its administrator after the password was given once more. */
const LASTS_MS = 6 * 3_600_000

/** `none`: there is nothing to ask for. `asleep`: the password first. `active`: the rights are there. */
export type AdminMode = 'none' | 'asleep' | 'active'

interface Shown {
  readonly is_admin: boolean
  readonly admin_until: string | null
}

/** Whether a session of an administrator has their rights (spec administration 1.2, `admin_mode`). */
export function adminModeOf(ctx: Pick<Ctx, 'db' | 'now'>, session: Shown): AdminMode {
  if (!session.is_admin || !settingsOf(ctx).admin_mode) return 'none'
  return session.admin_until !== null && session.admin_until > ctx.now ? 'active' : 'asleep'
}

/** True for a token of an administrator that may use their rights: where the mode is asked for, its scope says so. */
export function mayAdminister(ctx: Pick<Ctx, 'db' | 'now'>, scopes: ReadonlySet<string>): boolean {
  return scopes.has('admin_mode') || !settingsOf(ctx).admin_mode
}

/** Gives the session of this request the rights of its administrator. Throws 401 for a wrong password, 403 for others. */
export async function enterAdminMode(ctx: Ctx, from: Asking, password: string): Promise<void> {
  const { user, session } = administrator(ctx)
  await guarded(ctx, from, async () => {
    if (!(await isPasswordOf(ctx, user, { password, ip: from.ip })))
      throw fail('unauthorized', 'Invalid login or password.')
  })
  setAdminUntil(ctx.db, session, isoTime(Date.parse(ctx.now) + LASTS_MS))
}

/** Lays the rights down again. */
export function leaveAdminMode(ctx: Ctx): void {
  setAdminUntil(ctx.db, administrator(ctx).session, null)
}

function administrator({ db, actor }: Ctx) {
  const session = actor.kind === 'user' ? actor.session_id : undefined
  const user = actor.kind === 'user' ? userById(db, actor.id) : undefined
  if (session === undefined || user?.is_admin !== true) throw fail('forbidden')
  return { user, session }
}
