import { featureIn, type Feature, type FeatureStrategy } from '../clients/features.ts'
import type { FlagView } from '../flags/entity.ts'

const C1 = 0xcc9e2d51

const C2 = 0x1b873593

const rotated = (value: number, by: number): number => (value << by) | (value >>> (32 - by))

const mixed = (value: number): number => Math.imul(rotated(Math.imul(value, C1), 15), C2)

/** MurmurHash3, x86, 32 bits, of a text's UTF-8 form; seed 0. */
function murmur3(text: string): number {
  const bytes = Buffer.from(text)
  const blockBytes = bytes.length & ~3
  let hash = 0
  for (let at = 0; at < blockBytes; at += 4) {
    hash = rotated(hash ^ mixed(bytes.readInt32LE(at)), 13)
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0
  }
  if (blockBytes < bytes.length) {
    let rest = 0
    for (let at = bytes.length - 1; at >= blockBytes; at--) rest = (rest << 8) | bytes[at]!
    hash ^= mixed(rest)
  }
  hash ^= bytes.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The position of a user in a gradual rollout, 1 to 100, as SDKs compute it: on up to the percentage. */
function positionOf(id: string, groupId: string): number {
  return (murmur3(`${groupId}:${id}`) % 100) + 1
}

/** The context of an evaluation: environment, user and session. */
export interface EvaluationContext {
  readonly environment: string
  readonly user_id?: string | undefined
  readonly session_id?: string | undefined
}

/** The verdict of a strategy. `chance` is the percentage of evaluations that are on, for a random result. */
export interface StrategyResult {
  readonly verdict: 'on' | 'off' | 'chance'
  readonly chance: number | null
  /** The position of the user, 1 to 100, if a percentage decides. */
  readonly position: number | null
}

/** The verdict of one strategy of a flag. */
export interface StrategyVerdict extends StrategyResult {
  readonly strategy_id: number | null
  readonly name: string
}

/**
 * The reason why a flag is on or off: it is inactive, has no strategy for the environment, or its strategies decided.
 */
export type Reason = 'inactive' | 'not_in_environment' | 'strategies'

/** The value of a flag for a user. */
export interface Evaluated {
  readonly name: string
  readonly verdict: StrategyResult['verdict']
  readonly chance: number | null
  readonly reason: Reason
  /** Index in `strategies` of the strategy that switched it on; null if none did. */
  readonly decided_by: number | null
  /** Only the strategies for the environment. */
  readonly strategies: readonly StrategyVerdict[]
}

const ON: StrategyResult = { verdict: 'on', chance: null, position: null }
const OFF: StrategyResult = { verdict: 'off', chance: null, position: null }

/** Evaluates a flag for a user in the same way as SDKs. */
export function evaluate(flag: FlagView, asker: EvaluationContext): Evaluated {
  const { name } = flag.row
  const feature = featureIn(flag, asker.environment)
  const undecided = { name, ...OFF, decided_by: null, strategies: [] }
  if (!feature) return withReason(undecided, 'not_in_environment')
  const strategies = evaluateAll(feature, asker)
  if (!feature.enabled) return withReason({ ...undecided, strategies }, 'inactive')
  const first = strategies.findIndex((strategy) => strategy.verdict === 'on')
  if (first >= 0) return withReason({ name, ...ON, decided_by: first, strategies }, 'strategies')
  return withReason({ name, ...together(strategies), decided_by: null, strategies }, 'strategies')
}

function withReason(
  { position: _position, ...rest }: Omit<Evaluated, 'reason'> & Partial<StrategyResult>,
  reason: Reason,
): Evaluated {
  return { ...rest, reason }
}

function evaluateAll(feature: Feature, asker: EvaluationContext): StrategyVerdict[] {
  return feature.strategies.map((strategy) => ({
    strategy_id: strategy.strategy_id,
    name: strategy.name,
    ...evaluateStrategy(strategy, asker),
  }))
}

/** Combines the chances of several strategies: the flag is on unless all of them are off. */
function together(strategies: readonly StrategyVerdict[]): StrategyResult {
  const chances = strategies
    .filter((strategy) => strategy.verdict === 'chance')
    .map((strategy) => strategy.chance!)
  if (chances.length === 0) return OFF
  const off = chances.reduce((product, chance) => product * (1 - chance / 100), 1)
  return { verdict: 'chance', chance: Math.round((1 - off) * 1000) / 10, position: null }
}

/** The verdict of one strategy for a user. */
export function evaluateStrategy(
  { name, parameters }: FeatureStrategy,
  asker: EvaluationContext,
): StrategyResult {
  const { groupId = '', percentage, rollout, stickiness, userIds = '' } = parameters
  switch (name) {
    case 'default':
      return ON
    case 'userWithId':
      return asker.user_id && userIds.split(/\s*,\s*/).includes(asker.user_id) ? ON : OFF
    case 'gradualRolloutUserId':
      return asker.user_id ? byPosition(asker.user_id, groupId, Number(percentage)) : OFF
    case 'flexibleRollout':
      return flexible({ groupId, share: Number(rollout), stickiness: stickiness ?? 'default' }, asker)
    default:
      return OFF
  }
}

interface Rollout {
  readonly groupId: string
  readonly share: number
  readonly stickiness: string
}

function flexible(
  { groupId, share, stickiness }: Rollout,
  { user_id, session_id }: EvaluationContext,
): StrategyResult {
  if (stickiness === 'userId') return user_id ? byPosition(user_id, groupId, share) : OFF
  if (stickiness === 'sessionId') return session_id ? byPosition(session_id, groupId, share) : OFF
  const id = stickiness === 'default' ? user_id || session_id : undefined
  if (id) return byPosition(id, groupId, share)
  if (share === 0 || share === 100) return share === 100 ? ON : OFF
  return { verdict: 'chance', chance: share, position: null }
}

function byPosition(id: string, groupId: string, share: number): StrategyResult {
  const position = positionOf(id, groupId)
  return { verdict: share > 0 && position <= share ? 'on' : 'off', chance: null, position }
}
