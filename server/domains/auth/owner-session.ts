import type { Ctx } from '../../ctx.ts'
import { SESSION_COOKIES } from '../../http/aliases.ts'
import { firstAdmin } from '../users/index.ts'
import { isFirstRun, openSession } from './sessions.ts'

/** A session for the desktop window, whose person owns the machine; undefined until the first run is done. */
export function ownerSession(ctx: Ctx): { name: string; cookie: string } | undefined {
  const user = firstAdmin(ctx.db)
  if (!user || user.state !== 'active' || isFirstRun(ctx)) return undefined
  const session = openSession(ctx, user, { ip: '127.0.0.1', user_agent: 'Deskforge window' })
  return { name: SESSION_COOKIES[0], cookie: session.cookie }
}
