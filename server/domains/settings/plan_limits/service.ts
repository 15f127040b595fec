import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { invalid } from '../../../lib/fail.ts'
import { PlanLimitsChanged } from '../events.ts'
import { storePlanLimits, planLimits } from '../store.ts'
import { DEFAULTS, LIMIT_NAMES, PLAN, type LimitName, type PlanLimits } from './types.ts'

/** Changes limits. Existing records above a new limit stay unchanged. Throws 400 with every negative limit. */
export function changePlanLimits(
  ctx: Ctx,
  changes: Partial<Readonly<Record<LimitName, number | undefined>>>,
): PlanLimits {
  const negative = LIMIT_NAMES.filter((name) => (changes[name] ?? 0) < 0)
  if (negative.length > 0)
    throw invalid(Object.fromEntries(negative.map((name) => [name, 'must be greater than or equal to 0'])))
  return tx(ctx.db, () => {
    const before = planLimits(ctx.db)
    const changedLimits = LIMIT_NAMES.filter(
      (name) => changes[name] !== undefined && changes[name] !== before[name],
    )
    if (changedLimits.length === 0) return before
    const after = {
      ...before,
      ...Object.fromEntries(changedLimits.map((name) => [name, changes[name]])),
    } as PlanLimits
    const nonDefault = LIMIT_NAMES.filter((name) => after[name] !== DEFAULTS[name]).map((name) => [
      name,
      after[name],
    ])
    storePlanLimits(ctx.db, Object.fromEntries(nonDefault) as Partial<PlanLimits>, ctx.now)
    publish(ctx, PlanLimitsChanged, { plan_name: PLAN, changed: changedLimits, actor_id: ctx.actor.id })
    return after
  })
}
