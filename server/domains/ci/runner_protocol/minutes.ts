import type { Ctx } from '../../../ctx.ts'
import { settingsOf } from '../../settings/index.ts'
import { minutesUsed } from './store-queue.ts'

/**
 * Groups and personal spaces whose jobs had all of this month's minutes on runners of the instance (spec administration
 * 1.2, `shared_runners_minutes`; 0 for any number). A group and a user may have a limit of their own.
 */
export function spentNamespaces(ctx: Pick<Ctx, 'db' | 'now'>): readonly number[] {
  const limit = settingsOf(ctx).shared_runners_minutes ?? 0
  if (limit === 0) return []
  const month = ctx.now.slice(0, 7)
  return ctx.db.remember(`ci:spent:${month}`, () =>
    minutesUsed(ctx.db, { limit, now: ctx.now, since: `${month}-01` })
      .filter(({ minutes, seconds }) => minutes > 0 && seconds >= minutes * 60)
      .map(({ id }) => id),
  )
}
