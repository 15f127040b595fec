import { featureIn, type Feature, type FeatureStrategy } from '../clients/features.ts'
import type { FlagView } from '../flags/entity.ts'

const C1 = 0xcc9e2d51

const C2 = 0x1b873593

const rotateLeft = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits))

const mixBlock = (value: number): number => Math.imul(rotateLeft(Math.imul(value, C1), 15), C2)

/** Returns the MurmurHash3 (x86, 32 bits, seed 0) of the UTF-8 bytes of a text. */
function murmur3(text: string): number {
  const bytes = Buffer.from(text)
  const blockBytes = bytes.length & ~3
  let hash = 0
  for (let index = 0; index < blockBytes; index += 4) {
    hash = rotateLeft(hash ^ mixBlock(bytes.readInt32LE(index)), 13)
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0
  }
  if (blockBytes < bytes.length) {
    let tail = 0
    for (let index = bytes.length - 1; index >= blockBytes; index--) tail = (tail << 8) | bytes[index]!
    hash ^= mixBlock(tail)
  }
  hash ^= bytes.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Returns the position of a user in a gradual rollout, 1 to 100, as SDKs compute it. */
function positionOf(id: string, groupId: string): number {
  return (murmur3(`${groupId}:${id}`) % 100) + 1
}

/** The context of an evaluation: environment, user and session. */
export interface EvaluationContext {
  readonly environment: string
  readonly user_id?: string | undefined
  readonly session_id?: string | undefined
}

/** The result of a strategy. */
export interface StrategyResult {
  readonly verdict: 'on' | 'off' | 'chance'
  /** For a random result, the percentage of evaluations that are on. */
  readonly chance: number | null
  /** The position of the user, 1 to 100, if a percentage decides. */
  readonly position: number | null
}

/** The result of one strategy of a flag. */
export interface StrategyVerdict extends StrategyResult {
  readonly strategy_id: number | null
  readonly name: string
}

/**
 * The reason why a flag is on or off: it is inactive, has no strategy for the environment, or its strategies decided.
 */
export type Reason = 'inactive' | 'not_in_environment' | 'strategies'

/** The value of a flag for a user. */
export interface Evaluation {
  readonly name: string
  readonly verdict: StrategyResult['verdict']
  readonly chance: number | null
  readonly reason: Reason
  /** The index in `strategies` of the strategy that switched the flag on; null if none did. */
  readonly decided_by: number | null
  /** Only the strategies for the environment. */
  readonly strategies: readonly StrategyVerdict[]
}

const ON: StrategyResult = { verdict: 'on', chance: null, position: null }
const OFF: StrategyResult = { verdict: 'off', chance: null, position: null }

/** Evaluates a flag for a user in the same way as SDKs. */
export function evaluate(flag: FlagView, context: EvaluationContext): Evaluation {
  const { name } = flag.row
  const feature = featureIn(flag, context.environment)
  const offResult = { name, ...OFF, decided_by: null, strategies: [] }
  if (!feature) return withReason(offResult, 'not_in_environment')
  const strategies = evaluateAll(feature, context)
  if (!feature.enabled) return withReason({ ...offResult, strategies }, 'inactive')
  const first = strategies.findIndex((strategy) => strategy.verdict === 'on')
  if (first >= 0) return withReason({ name, ...ON, decided_by: first, strategies }, 'strategies')
  return withReason({ name, ...combineChances(strategies), decided_by: null, strategies }, 'strategies')
}

function withReason(
  { position: _position, ...rest }: Omit<Evaluation, 'reason'> & Partial<StrategyResult>,
  reason: Reason,
): Evaluation {
  return { ...rest, reason }
}

function evaluateAll(feature: Feature, context: EvaluationContext): StrategyVerdict[] {
  return feature.strategies.map((strategy) => ({
    strategy_id: strategy.strategy_id,
    name: strategy.name,
    ...evaluateStrategy(strategy, context),
  }))
}

/** Combines the chances of strategies: the flag is on unless all of them are off. */
function combineChances(strategies: readonly StrategyVerdict[]): StrategyResult {
  const chances = strategies
    .filter((strategy) => strategy.verdict === 'chance')
    .map((strategy) => strategy.chance!)
  if (chances.length === 0) return OFF
  const off = chances.reduce((product, chance) => product * (1 - chance / 100), 1)
  return { verdict: 'chance', chance: Math.round((1 - off) * 1000) / 10, position: null }
}

/** Evaluates one strategy for a user. */
export function evaluateStrategy(
  { name, parameters }: FeatureStrategy,
  context: EvaluationContext,
): StrategyResult {
  const { groupId = '', percentage, rollout, stickiness, userIds = '' } = parameters
  switch (name) {
    case 'default':
      return ON
    case 'userWithId':
      return context.user_id && userIds.split(/\s*,\s*/).includes(context.user_id) ? ON : OFF
    case 'gradualRolloutUserId':
      return context.user_id ? evaluatePosition(context.user_id, groupId, Number(percentage)) : OFF
    case 'flexibleRollout':
      return evaluateFlexible(
        { groupId, percentage: Number(rollout), stickiness: stickiness ?? 'default' },
        context,
      )
    default:
      return OFF
  }
}

interface Rollout {
  readonly groupId: string
  readonly percentage: number
  readonly stickiness: string
}

function evaluateFlexible(
  { groupId, percentage, stickiness }: Rollout,
  { user_id, session_id }: EvaluationContext,
): StrategyResult {
  if (stickiness === 'userId') return user_id ? evaluatePosition(user_id, groupId, percentage) : OFF
  if (stickiness === 'sessionId') return session_id ? evaluatePosition(session_id, groupId, percentage) : OFF
  const id = stickiness === 'default' ? user_id || session_id : undefined
  if (id) return evaluatePosition(id, groupId, percentage)
  if (percentage === 0 || percentage === 100) return percentage === 100 ? ON : OFF
  return { verdict: 'chance', chance: percentage, position: null }
}

function evaluatePosition(id: string, groupId: string, percentage: number): StrategyResult {
  const position = positionOf(id, groupId)
  return { verdict: percentage > 0 && position <= percentage ? 'on' : 'off', chance: null, position }
}
