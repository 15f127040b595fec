import type { Ctx } from '../../../ctx.ts'
import { covers, specificity } from '../../../lib/text/environment-scope.ts'
import { ofProject, type Strategy, viewsOf } from '../flags/store.ts'
import type { FlagView } from '../flags/entity.ts'

/** A strategy as SDKs evaluate it. `strategy_id`: the strategy in the flag; null for legacy flags. */
export interface FeatureStrategy {
  readonly strategy_id: number | null
  readonly name: string
  readonly parameters: Readonly<Record<string, string>>
}

/** A flag as SDKs see it in one environment. */
export interface Feature {
  readonly name: string
  readonly description: string | null
  readonly enabled: boolean
  readonly strategies: readonly FeatureStrategy[]
}

/** The flags of a project with their strategies, oldest first; cached until one of their tables changes. */
export function flagsOf(ctx: Pick<Ctx, 'db'>, projectId: number): readonly FlagView[] {
  return ctx.db.rememberRows(`feature_flags:views:${projectId}`, () =>
    viewsOf(ctx, ofProject(ctx.db, projectId)),
  )
}

/**
 * The flags of an environment (spec ci 7.1): those with a strategy for it, with only these strategies. Inactive flags
 * are included.
 */
export function featuresIn(flags: readonly FlagView[], environment: string): Feature[] {
  return flags.flatMap((flag) => featureIn(flag, environment) ?? [])
}

/** One flag in an environment; undefined without a strategy for it. */
export function featureIn(flag: FlagView, environment: string): Feature | undefined {
  if (flag.row.version === 'legacy_flag') return legacyFeatureIn(flag, environment)
  const strategies = flag.strategies.filter((strategy) => isFor(strategy, environment)).map(clientStrategy)
  if (strategies.length === 0) return undefined
  return { ...namesOf(flag), enabled: flag.row.active, strategies }
}

/** True if a scope of the strategy covers the environment. */
export function isFor(strategy: Strategy, environment: string): boolean {
  return strategy.scopes.some((scope) => covers(scope.environment_scope, environment))
}

function clientStrategy({ id, name, parameters, list }: Strategy): FeatureStrategy {
  return name === 'serviceUserList'
    ? { strategy_id: id, name: 'userWithId', parameters: { userIds: list?.user_xids ?? '' } }
    : { strategy_id: id, name, parameters }
}

/** The most specific scope of a legacy flag decides alone. */
function legacyFeatureIn(flag: FlagView, environment: string): Feature | undefined {
  const fitting = flag.scopes.filter((scope) => covers(scope.environment_scope, environment))
  const [best] = fitting.toSorted(
    (a, b) => specificity(b.environment_scope) - specificity(a.environment_scope),
  )
  if (!best) return undefined
  const strategies = best.strategies as Omit<FeatureStrategy, 'strategy_id'>[]
  const enabled = flag.row.active && best.active
  return {
    ...namesOf(flag),
    enabled,
    strategies: strategies.map((strategy) => ({ ...strategy, strategy_id: null })),
  }
}

function namesOf({ row }: FlagView): Pick<Feature, 'name' | 'description'> {
  return { name: row.name, description: row.description }
}
