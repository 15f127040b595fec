import { USER_LIST_STRATEGY } from '../../../lib/aliases.ts'

const MAX_ID = 256
const GROUP = /^[a-z]{1,32}$/
const INVALID = 'parameters are invalid'

type Values = Readonly<Record<string, unknown>>

/** True for a string with a whole number from 0 to 100. */
function isShare(value: unknown): boolean {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) && Number(value) <= 100
}

function isGroup(value: unknown): boolean {
  return typeof value === 'string' && GROUP.test(value)
}

function rolloutProblems({ groupId, rollout, stickiness }: Values): string[] {
  const words = `${STICKINESS.slice(0, -1).join(', ')}, or ${STICKINESS.at(-1)!}`
  return [
    ...(isShare(rollout) ? [] : ['rollout must be a string between 0 and 100 inclusive']),
    ...(STICKINESS.some((name) => name === stickiness) ? [] : [`stickiness parameter must be ${words}`]),
    ...(isGroup(groupId) ? [] : ['groupId parameter is invalid']),
  ]
}

function gradualProblems({ groupId, percentage }: Values): string[] {
  return [
    ...(isShare(percentage) ? [] : ['percentage must be a string between 0 and 100 inclusive']),
    ...(isGroup(groupId) ? [] : ['groupId parameter is invalid']),
  ]
}

const VALUES: Readonly<Record<StrategyName, (values: Values) => string[]>> = {
  default: () => [],
  serviceUserList: () => [],
  gradualRolloutUserId: gradualProblems,
  flexibleRollout: rolloutProblems,
  userWithId: ({ userIds }) => userIdsProblem(userIds, 'userIds'),
}

/** The problems with the parameters of a strategy (spec ci 7.2); empty for valid ones. */
export function parameterProblems(name: StrategyName, parameters: unknown): string[] {
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) return [INVALID]
  const names = Object.keys(parameters).sort().join()
  const wanted = STRATEGIES[name].toSorted().join()
  return names === wanted ? VALUES[name](parameters as Values) : [INVALID]
}

/** The problems with the name and parameters of a strategy; each begins with the name of the field. */
export function strategyProblems(name: string, parameters: unknown): string[] {
  if (!isStrategy(name)) return ['name strategy name is invalid']
  return parameterProblems(name, parameters).map((problem) => `parameters ${problem}`)
}

const MAX_SCOPE = 255
const SCOPE = /^[A-Za-z0-9_/${}. *-]+$/
const SCOPE_RULE = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"

/** The problems with the environment scopes of a strategy or of a legacy flag. */
export function scopeProblems(scopes: readonly string[]): string[] {
  const problems = scopes.flatMap((scope) => {
    if (scope.trim() === '') return ["can't be blank"]
    return [
      ...(scope.length > MAX_SCOPE ? [`is too long (maximum is ${MAX_SCOPE} characters)`] : []),
      ...(SCOPE.test(scope) ? [] : [SCOPE_RULE]),
    ]
  })
  const twice = scopes.filter((scope, index) => scopes.indexOf(scope) !== index)
  problems.push(...twice.map((scope) => `(${scope}) has already been taken`))
  return problems.map((problem) => `environment scope ${problem}`)
}

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/

function areUserIds(text: string): boolean {
  if (text === '') return true
  if (CONTROL.test(text) || !text.isWellFormed()) return false
  const ids = text.split(',')
  const isEach = ids.every((id) => id !== '' && id.trim() === id && id.length <= MAX_ID)
  return isEach && new Set(ids).size === ids.length
}

/**
 * The problems with a comma-separated list of users (spec ci 7.2); an empty one is valid. `title` is the name of the
 * field in the message.
 */
export function userIdsProblem(value: unknown, title: string): string[] {
  if (typeof value === 'string' && areUserIds(value)) return []
  return [`${title} must be a string of unique comma separated values each ${MAX_ID} characters or less`]
}

/** The kinds of strategies (spec ci 7.2), with exactly the parameters of each. */
export const STRATEGIES = {
  default: [],
  gradualRolloutUserId: ['groupId', 'percentage'],
  flexibleRollout: ['groupId', 'rollout', 'stickiness'],
  userWithId: ['userIds'],
  serviceUserList: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** The name of a strategy, as stored and shown. */
export type StrategyName = keyof typeof STRATEGIES
/** The values of stickiness: the property by which a flexible rollout gives a user the same result every time. */

export const STICKINESS = ['default', 'userId', 'sessionId', 'random'] as const

/** True for the name of a strategy. */
export function isStrategy(name: string): name is StrategyName {
  return Object.hasOwn(STRATEGIES, name)
}

/** The stored name of a strategy, from any of its names. */
export function neutralName(name: string): string {
  return name === USER_LIST_STRATEGY ? 'serviceUserList' : name
}

/** The stickiness as SDKs name it; some releases use capital letters. */
export function neutralStickiness(value: unknown): unknown {
  return (
    STICKINESS.find((name) => typeof value === 'string' && name.toLowerCase() === value.toLowerCase()) ??
    value
  )
}
