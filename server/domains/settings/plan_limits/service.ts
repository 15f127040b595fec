import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { invalid } from '../../../lib/fail.ts'
import { PlanLimitsChanged } from '../events.ts'
import { storeChanges, planLimits } from '../store.ts'
import { DEFAULTS, LIMIT_NAMES, PLAN, type LimitName, type PlanLimits } from './types.ts'

/** Changes limits for the future; existing records above them stay. Throws 400 by field for numbers below 0. */
export function changeLimits(
  ctx: Ctx,
  changes: Partial<Readonly<Record<LimitName, number | undefined>>>,
): PlanLimits {
  const wrong = LIMIT_NAMES.filter((name) => (changes[name] ?? 0) < 0)
  if (wrong.length > 0)
    throw invalid(Object.fromEntries(wrong.map((name) => [name, 'must be greater than or equal to 0'])))
  return tx(ctx.db, () => {
    const before = planLimits(ctx.db)
    const changed = LIMIT_NAMES.filter(
      (name) => changes[name] !== undefined && changes[name] !== before[name],
    )
    if (changed.length === 0) return before
    const after = {
      ...before,
      ...Object.fromEntries(changed.map((name) => [name, changes[name]])),
    } as PlanLimits
    const kept = LIMIT_NAMES.filter((name) => after[name] !== DEFAULTS[name]).map((name) => [
      name,
      after[name],
    ])
    storeChanges(ctx.db, Object.fromEntries(kept) as Partial<PlanLimits>, ctx.now)
    publish(ctx, PlanLimitsChanged, { plan_name: PLAN, changed, actor_id: ctx.actor.id })
    return after
  })
}
