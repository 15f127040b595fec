import { featureIn, type Feature, type FeatureStrategy } from '../clients/features.ts'
import type { FlagView } from '../flags/entity.ts'

const C1 = 0xcc9e2d51

const C2 = 0x1b873593

const rotated = (value: number, by: number): number => (value << by) | (value >>> (32 - by))

const mixed = (value: number): number => Math.imul(rotated(Math.imul(value, C1), 15), C2)

/** MurmurHash3, x86, 32 bits, of a text's UTF-8 form; seed 0. */
function murmur3(text: string): number {
  const bytes = Buffer.from(text)
  const whole = bytes.length & ~3
  let hash = 0
  for (let at = 0; at < whole; at += 4) {
    hash = rotated(hash ^ mixed(bytes.readInt32LE(at)), 13)
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0
  }
  if (whole < bytes.length) {
    let rest = 0
    for (let at = bytes.length - 1; at >= whole; at--) rest = (rest << 8) | bytes[at]!
    hash ^= mixed(rest)
  }
  hash ^= bytes.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Where somebody stands in a gradual rollout, 1 to 100, as SDKs work it out: on up to the percentage. */
function positionOf(id: string, groupId: string): number {
  return (murmur3(`${groupId}:${id}`) % 100) + 1
}

/** Whom and where a program asks for. */
export interface Asker {
  readonly environment: string
  readonly user_id?: string | undefined
  readonly session_id?: string | undefined
}

/** What a strategy says of somebody. `chance`: percent of the times that it says yes, where it is not decided. */
export interface Judged {
  readonly verdict: 'on' | 'off' | 'chance'
  readonly chance: number | null
  /** Where they stand, 1 to 100, where a percentage decides. */
  readonly place: number | null
}

/** What one strategy of a flag said. */
export interface StrategyVerdict extends Judged {
  readonly strategy_id: number | null
  readonly name: string
}

/** Why a flag is on or off: it is off altogether, says nothing about the environment, or its strategies decided. */
export type Reason = 'inactive' | 'not_in_environment' | 'strategies'

/** What a flag is for somebody. */
export interface Evaluated {
  readonly name: string
  readonly verdict: Judged['verdict']
  readonly chance: number | null
  readonly reason: Reason
  /** Index in `strategies` of the one that switched it on; null where none did. */
  readonly decided_by: number | null
  /** Only those for the environment. */
  readonly strategies: readonly StrategyVerdict[]
}

const ON: Judged = { verdict: 'on', chance: null, place: null }
const OFF: Judged = { verdict: 'off', chance: null, place: null }

/** What a flag is for somebody, worked out as SDKs do. */
export function evaluate(flag: FlagView, asker: Asker): Evaluated {
  const { name } = flag.row
  const feature = featureIn(flag, asker.environment)
  const undecided = { name, ...OFF, decided_by: null, strategies: [] }
  if (!feature) return withReason(undecided, 'not_in_environment')
  const strategies = judgedAll(feature, asker)
  if (!feature.enabled) return withReason({ ...undecided, strategies }, 'inactive')
  const first = strategies.findIndex((one) => one.verdict === 'on')
  if (first >= 0) return withReason({ name, ...ON, decided_by: first, strategies }, 'strategies')
  return withReason({ name, ...together(strategies), decided_by: null, strategies }, 'strategies')
}

function withReason(
  { place: _place, ...rest }: Omit<Evaluated, 'reason'> & Partial<Judged>,
  reason: Reason,
): Evaluated {
  return { ...rest, reason }
}

function judgedAll(feature: Feature, asker: Asker): StrategyVerdict[] {
  return feature.strategies.map((one) => ({
    strategy_id: one.strategy_id,
    name: one.name,
    ...judge(one, asker),
  }))
}

/** Chances of several strategies: it is on unless all of them say no. */
function together(strategies: readonly StrategyVerdict[]): Judged {
  const chances = strategies.filter((one) => one.verdict === 'chance').map((one) => one.chance!)
  if (chances.length === 0) return OFF
  const off = chances.reduce((product, chance) => product * (1 - chance / 100), 1)
  return { verdict: 'chance', chance: Math.round((1 - off) * 1000) / 10, place: null }
}

/** What one strategy says of somebody. */
export function judge({ name, parameters }: FeatureStrategy, asker: Asker): Judged {
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

function flexible({ groupId, share, stickiness }: Rollout, { user_id, session_id }: Asker): Judged {
  if (stickiness === 'userId') return user_id ? byPosition(user_id, groupId, share) : OFF
  if (stickiness === 'sessionId') return session_id ? byPosition(session_id, groupId, share) : OFF
  const id = stickiness === 'default' ? user_id || session_id : undefined
  if (id) return byPosition(id, groupId, share)
  if (share === 0 || share === 100) return share === 100 ? ON : OFF
  return { verdict: 'chance', chance: share, place: null }
}

function byPosition(id: string, groupId: string, share: number): Judged {
  const place = positionOf(id, groupId)
  return { verdict: share > 0 && place <= share ? 'on' : 'off', chance: null, place }
}
