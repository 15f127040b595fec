import type { Ctx } from '../../ctx.ts'
import { settingsOf } from '../settings/index.ts'

/** The address that the home page redirects visitors to; null where it redirects nobody. */
export function homePageOf(ctx: Pick<Ctx, 'db' | 'now' | 'config'>): string | null {
  const target = settingsOf(ctx).home_page_url
  if (!target || !URL.canParse(target)) return null
  const { protocol, origin, pathname } = new URL(target)
  if (protocol !== 'http:' && protocol !== 'https:') return null
  return origin === ctx.config.url && pathname === '/' ? null : target
}
