import { z } from 'zod'

import { entity, time, row } from '../../../http/entity.ts'
import type { Evaluation } from '../evaluation/evaluate.ts'
import { STRATEGIES, type StrategyName } from '../strategies/validation.ts'
import type { FeatureFlagRow, LegacyScopeRow, Strategy } from './store.ts'

const verdict = z.enum(['on', 'off', 'chance'])

/** The value of a feature flag for a user, with the reason. */
export const FeatureFlagEvaluation = entity(
  'FeatureFlagEvaluation',
  {
    name: z.string(),
    verdict,
    chance: z.number().nullable(),
    reason: z.enum(['inactive', 'not_in_environment', 'strategies']),
    decided_by: z.int().nullable(),
    strategies: z.array(
      z.strictObject({
        strategy_id: z.int().nullable(),
        name: z.string(),
        verdict,
        chance: z.number().nullable(),
        position: z.int().nullable(),
      }),
    ),
  },
  ({ name, chance, reason, decided_by, ...flag }: Evaluation) => ({
    name,
    verdict: flag.verdict,
    chance,
    reason,
    decided_by,
    strategies: flag.strategies.map((strategy) => ({ ...strategy })),
  }),
)

/** A flag with its strategies and scopes. */
export interface FlagView {
  readonly id: number
  readonly row: FeatureFlagRow
  readonly strategies: readonly Strategy[]
  /** For legacy flags only. */
  readonly scopes: readonly LegacyScopeRow[]
}

const name = z.enum(Object.keys(STRATEGIES) as [StrategyName, ...StrategyName[]])
const parameters = z.record(z.string(), z.string())

const strategyFields = {
  id: z.int(),
  name,
  parameters,
  scopes: z.array(z.strictObject({ id: z.int(), environment_scope: z.string() })),
  user_list: z
    .strictObject({ id: z.int(), iid: z.int(), name: z.string(), user_xids: z.string() })
    .nullable(),
}

const legacyScopeFields = {
  id: z.int(),
  active: z.boolean(),
  environment_scope: z.string(),
  strategies: z.array(z.strictObject({ name: z.string(), parameters })),
  created_at: time(),
  updated_at: time(),
}

type Strategies = FlagView['strategies']
type Scopes = FlagView['scopes']

function showStrategies(strategies: Strategies) {
  return strategies.map(({ list, ...strategy }) => ({
    id: strategy.id,
    name: strategy.name,
    parameters: strategy.parameters,
    scopes: strategy.scopes.map((scope) => ({
      id: scope.id,
      environment_scope: scope.environment_scope,
    })),
    user_list: list && { id: list.id, iid: list.iid, name: list.name, user_xids: list.user_xids },
  }))
}

function showScopes(scopes: Scopes) {
  return scopes.map((scope) => ({
    id: scope.id,
    active: scope.active,
    environment_scope: scope.environment_scope,
    strategies: scope.strategies as { name: string; parameters: Record<string, string> }[],
    created_at: scope.created_at,
    updated_at: scope.updated_at,
  }))
}

/** A feature flag (spec rest-api "Feature flag"). */
export const FeatureFlag = entity(
  'FeatureFlag',
  {
    name: z.string(),
    description: z.string().nullable(),
    active: z.boolean(),
    version: z.enum(['new_version_flag', 'legacy_flag']),
    created_at: time(),
    updated_at: time(),
    scopes: z.array(z.strictObject(legacyScopeFields)),
    strategies: z.array(z.strictObject(strategyFields)),
  },
  row((view: FlagView) => view.row),
  ({ strategies, scopes }) => ({
    scopes: showScopes(scopes),
    strategies: showStrategies(strategies),
  }),
)
