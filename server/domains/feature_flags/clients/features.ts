import type { Ctx } from '../../../ctx.ts'
import { covers, specificity } from '../../../lib/text/environment-scope.ts'
import { ofProject, type Strategy, viewsOf } from '../flags/store.ts'
import type { FlagView } from '../flags/entity.ts'

/** A strategy, in the form that SDKs evaluate. */
export interface FeatureStrategy {
  /** The ID of the strategy of the flag. Null for legacy flags. */
  readonly strategy_id: number | null
  readonly name: string
  readonly parameters: Readonly<Record<string, string>>
}

/** A flag in one environment, for SDKs. */
export interface Feature {
  readonly name: string
  readonly description: string | null
  readonly enabled: boolean
  readonly strategies: readonly FeatureStrategy[]
}

/** Returns the flags of a project with their strategies, oldest first. Cached until one of their tables changes. */
export function flagsOf(ctx: Pick<Ctx, 'db'>, projectId: number): readonly FlagView[] {
  return ctx.db.rememberRows(`feature_flags:views:${projectId}`, () =>
    viewsOf(ctx, ofProject(ctx.db, projectId)),
  )
}

/**
 * Returns the flags of an environment (spec ci 7.1): those with a strategy for it, and of their strategies only these.
 * Includes inactive flags.
 */
export function featuresIn(flags: readonly FlagView[], environment: string): Feature[] {
  return flags.flatMap((flag) => featureIn(flag, environment) ?? [])
}

/** Returns a flag in an environment. Undefined if it has no strategy for the environment. */
export function featureIn(flag: FlagView, environment: string): Feature | undefined {
  if (flag.row.version === 'legacy_flag') return legacyFeatureIn(flag, environment)
  const strategies = flag.strategies
    .filter((strategy) => appliesTo(strategy, environment))
    .map(clientStrategy)
  if (strategies.length === 0) return undefined
  return { ...namesOf(flag), enabled: flag.row.active, strategies }
}

/** Whether a scope of the strategy covers the environment. */
export function appliesTo(strategy: Strategy, environment: string): boolean {
  return strategy.scopes.some((scope) => covers(scope.environment_scope, environment))
}

function clientStrategy({ id, name, parameters, list }: Strategy): FeatureStrategy {
  return name === 'serviceUserList'
    ? { strategy_id: id, name: 'userWithId', parameters: { userIds: list?.user_xids ?? '' } }
    : { strategy_id: id, name, parameters }
}

/** Returns a legacy flag in an environment. Only its most specific scope for the environment counts. */
function legacyFeatureIn(flag: FlagView, environment: string): Feature | undefined {
  const matching = flag.scopes.filter((scope) => covers(scope.environment_scope, environment))
  const [mostSpecific] = matching.toSorted(
    (a, b) => specificity(b.environment_scope) - specificity(a.environment_scope),
  )
  if (!mostSpecific) return undefined
  const strategies = mostSpecific.strategies as Omit<FeatureStrategy, 'strategy_id'>[]
  const enabled = flag.row.active && mostSpecific.active
  return {
    ...namesOf(flag),
    enabled,
    strategies: strategies.map((strategy) => ({ ...strategy, strategy_id: null })),
  }
}

function namesOf({ row }: FlagView): Pick<Feature, 'name' | 'description'> {
  return { name: row.name, description: row.description }
}
