import { USER_LIST_STRATEGY } from '../../../http/aliases.ts'

/** For whom a flag can be on (spec ci 7.2), with the parameters that each has, no more and no less. */
export const STRATEGIES = {
  default: [],
  gradualRolloutUserId: ['groupId', 'percentage'],
  flexibleRollout: ['groupId', 'rollout', 'stickiness'],
  userWithId: ['userIds'],
  serviceUserList: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** One of the strategies, as it is stored and given out. */
export type StrategyName = keyof typeof STRATEGIES

/** By what users of a flexible rollout stay where they are. */
export const STICKINESS = ['default', 'userId', 'sessionId', 'random'] as const

/** True for the name of a strategy. */
export function isStrategy(name: string): name is StrategyName {
  return Object.hasOwn(STRATEGIES, name)
}

/** The name of a strategy as it is stored, whichever of its names was given. */
export function neutralName(name: string): string {
  return name === USER_LIST_STRATEGY ? 'serviceUserList' : name
}

/** The stickiness as SDKs know it; some releases wrote it in capitals. */
export function neutralStickiness(given: unknown): unknown {
  return (
    STICKINESS.find((one) => typeof given === 'string' && one.toLowerCase() === given.toLowerCase()) ?? given
  )
}
