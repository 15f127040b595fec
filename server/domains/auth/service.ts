import type { Ctx } from '../../ctx.ts'
import { fail } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'

const DEFAULT_MESSAGE = 'You cannot perform write operations on a read-only instance'

/** Returns the message of the maintenance mode; null while it is disabled (spec administration 1.2). */
export function maintenanceOf(ctx: Pick<Ctx, 'db' | 'now'>): string | null {
  const { maintenance_mode, maintenance_mode_message } = settingsOf(ctx)
  return maintenance_mode ? maintenance_mode_message || DEFAULT_MESSAGE : null
}

/** Throws 503 for a write in maintenance mode. Administrators may still write. */
export function checkMaintenance(ctx: Ctx): void {
  if (ctx.actor.is_admin) return
  const message = maintenanceOf(ctx)
  if (message !== null) throw fail('unavailable', message)
}

/** Returns the URL to which the home page redirects anonymous visitors; null without a redirect. */
export function homePageOf(ctx: Pick<Ctx, 'db' | 'now' | 'config'>): string | null {
  const target = settingsOf(ctx).home_page_url
  if (!target || !URL.canParse(target)) return null
  const { protocol, origin, pathname } = new URL(target)
  if (protocol !== 'http:' && protocol !== 'https:') return null
  return origin === ctx.config.url && pathname === '/' ? null : target
}
