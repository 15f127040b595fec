import type { Ctx } from '../../ctx.ts'
import { SESSION_COOKIES } from '../../lib/aliases.ts'
import { firstAdmin } from '../users/index.ts'
import { isFirstRun, openSession } from './sessions.ts'

/**
 * A session for the desktop window, whose person owns the machine; undefined until the first run is done. It belongs to
 * no page: the window's cookies are its own, and it opens no other origin. It begins anew with every start of the window.
 */
export function ownerSession(ctx: Ctx): { name: string; cookie: string } | undefined {
  const user = firstAdmin(ctx.db)
  if (!user || user.state !== 'active' || isFirstRun(ctx)) return undefined
  const session = openSession(ctx, user, {
    ip: '127.0.0.1',
    user_agent: 'Deskforge window',
    isRemembered: true,
  })
  return { name: SESSION_COOKIES[0], cookie: session.cookie }
}
