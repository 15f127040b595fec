import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'
import { fail } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import { userById } from '../../users/index.ts'
import { isPasswordOf } from '../sign_in/passwords.ts'
import { setAdminUntil } from '../store.ts'
import { limitFailures, type Attempt } from './throttle.ts'

/** The time in milliseconds that admin mode lasts after the password was entered. */
const DURATION_MS = 6 * 3_600_000

/** State of admin mode. `none`: not required. `asleep`: requires the password. `active`: administrator rights. */
export type AdminMode = 'none' | 'asleep' | 'active'

interface SessionColumns {
  readonly is_admin: boolean
  readonly admin_until: string | null
}

/** Returns the state of admin mode in a session (spec administration 1.2, `admin_mode`). */
export function adminModeOf(ctx: Pick<Ctx, 'db' | 'now'>, session: SessionColumns): AdminMode {
  if (!session.is_admin || !settingsOf(ctx).admin_mode) return 'none'
  return session.admin_until !== null && session.admin_until > ctx.now ? 'active' : 'asleep'
}

/**
 * Enters admin mode in the session of the request. Throws 401 for a wrong password, 403 for users who are not
 * administrators.
 */
export async function enterAdminMode(ctx: Ctx, from: Attempt, password: string): Promise<void> {
  const { user, session } = administratorSession(ctx)
  await limitFailures(ctx, from, async () => {
    if (!(await isPasswordOf(ctx, user, { password, ip: from.ip })))
      throw fail('unauthorized', 'Invalid login or password.')
  })
  setAdminUntil(ctx.db, session, isoTime(Date.parse(ctx.now) + DURATION_MS))
}

/** Leaves admin mode. */
export function leaveAdminMode(ctx: Ctx): void {
  setAdminUntil(ctx.db, administratorSession(ctx).session, null)
}

function administratorSession({ db, actor }: Ctx) {
  const session = actor.kind === 'user' ? actor.session_id : undefined
  const user = actor.kind === 'user' ? userById(db, actor.id) : undefined
  if (session === undefined || user?.is_admin !== true) throw fail('forbidden')
  return { user, session }
}
