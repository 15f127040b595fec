import type { Ctx } from '../../ctx.ts'
import { settingsOf } from '../settings/index.ts'

/** Where visitors of the first page are led; null for nowhere, and for the first page itself. */
export function homePageOf(ctx: Pick<Ctx, 'db' | 'now' | 'config'>): string | null {
  const target = settingsOf(ctx).home_page_url
  if (!target || !URL.canParse(target)) return null
  const { protocol, origin, pathname } = new URL(target)
  if (protocol !== 'http:' && protocol !== 'https:') return null
  return origin === ctx.config.url && pathname === '/' ? null : target
}
