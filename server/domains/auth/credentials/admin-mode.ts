import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'
import { fail } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import { userById } from '../../users/index.ts'
import { isPasswordOf } from '../sign_in/passwords.ts'
import { setAdminUntil } from '../store.ts'
import { guarded, type Asking } from './throttle.ts'

/** Duration of admin mode after the password was entered again. */
const LASTS_MS = 6 * 3_600_000

/** `none`: not needed. `asleep`: needs the password. `active`: the session has administrator rights. */
export type AdminMode = 'none' | 'asleep' | 'active'

interface Shown {
  readonly is_admin: boolean
  readonly admin_until: string | null
}

/** State of admin mode in a session (spec administration 1.2, `admin_mode`). */
export function adminModeOf(ctx: Pick<Ctx, 'db' | 'now'>, session: Shown): AdminMode {
  if (!session.is_admin || !settingsOf(ctx).admin_mode) return 'none'
  return session.admin_until !== null && session.admin_until > ctx.now ? 'active' : 'asleep'
}

/** True if a token of an administrator has administrator rights: with admin mode on, it needs the scope. */
export function mayAdminister(ctx: Pick<Ctx, 'db' | 'now'>, scopes: ReadonlySet<string>): boolean {
  return scopes.has('admin_mode') || !settingsOf(ctx).admin_mode
}

/** Enters admin mode in the session of this request. Throws 401 for a wrong password, 403 for other users. */
export async function enterAdminMode(ctx: Ctx, from: Asking, password: string): Promise<void> {
  const { user, session } = administrator(ctx)
  await guarded(ctx, from, async () => {
    if (!(await isPasswordOf(ctx, user, { password, ip: from.ip })))
      throw fail('unauthorized', 'Invalid login or password.')
  })
  setAdminUntil(ctx.db, session, isoTime(Date.parse(ctx.now) + LASTS_MS))
}

/** Leaves admin mode. */
export function leaveAdminMode(ctx: Ctx): void {
  setAdminUntil(ctx.db, administrator(ctx).session, null)
}

function administrator({ db, actor }: Ctx) {
  const session = actor.kind === 'user' ? actor.session_id : undefined
  const user = actor.kind === 'user' ? userById(db, actor.id) : undefined
  if (session === undefined || user?.is_admin !== true) throw fail('forbidden')
  return { user, session }
}
