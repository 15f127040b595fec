import { USER_LIST_STRATEGY } from '../../../lib/aliases.ts'

const MAX_ID = 256
const GROUP = /^[a-z]{1,32}$/
const INVALID = 'parameters are invalid'

type Values = Readonly<Record<string, unknown>>

/** Whether a value is a string with a whole number from 0 to 100. */
function isPercentage(value: unknown): boolean {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) && Number(value) <= 100
}

function isGroup(value: unknown): boolean {
  return typeof value === 'string' && GROUP.test(value)
}

function rolloutProblems({ groupId, rollout, stickiness }: Values): string[] {
  const words = `${STICKINESS.slice(0, -1).join(', ')}, or ${STICKINESS.at(-1)!}`
  return [
    ...(isPercentage(rollout) ? [] : ['rollout must be a string between 0 and 100 inclusive']),
    ...(STICKINESS.some((name) => name === stickiness) ? [] : [`stickiness parameter must be ${words}`]),
    ...(isGroup(groupId) ? [] : ['groupId parameter is invalid']),
  ]
}

function gradualProblems({ groupId, percentage }: Values): string[] {
  return [
    ...(isPercentage(percentage) ? [] : ['percentage must be a string between 0 and 100 inclusive']),
    ...(isGroup(groupId) ? [] : ['groupId parameter is invalid']),
  ]
}

/** The functions that return the problems of the parameters, by strategy. */
const PROBLEMS: Readonly<Record<StrategyName, (values: Values) => string[]>> = {
  default: () => [],
  serviceUserList: () => [],
  gradualRolloutUserId: gradualProblems,
  flexibleRollout: rolloutProblems,
  userWithId: ({ userIds }) => userIdsProblem(userIds, 'userIds'),
}

/** Returns the problems of the parameters of a strategy (spec ci 7.2). Empty for valid parameters. */
export function parameterProblems(name: StrategyName, parameters: unknown): string[] {
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) return [INVALID]
  const names = Object.keys(parameters).sort().join()
  const expected = STRATEGIES[name].toSorted().join()
  return names === expected ? PROBLEMS[name](parameters as Values) : [INVALID]
}

/** Returns the problems of the name and the parameters of a strategy. Each begins with the name of the field. */
export function strategyProblems(name: string, parameters: unknown): string[] {
  if (!isStrategy(name)) return ['name strategy name is invalid']
  return parameterProblems(name, parameters).map((problem) => `parameters ${problem}`)
}

const MAX_SCOPE = 255
const SCOPE = /^[A-Za-z0-9_/${}. *-]+$/
const SCOPE_RULE = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"

/** Returns the problems of the environment scopes of a strategy or of a legacy flag. */
export function scopeProblems(scopes: readonly string[]): string[] {
  const problems = scopes.flatMap((scope) => {
    if (scope.trim() === '') return ["can't be blank"]
    return [
      ...(scope.length > MAX_SCOPE ? [`is too long (maximum is ${MAX_SCOPE} characters)`] : []),
      ...(SCOPE.test(scope) ? [] : [SCOPE_RULE]),
    ]
  })
  const repeated = scopes.filter((scope, index) => scopes.indexOf(scope) !== index)
  problems.push(...repeated.map((scope) => `(${scope}) has already been taken`))
  return problems.map((problem) => `environment scope ${problem}`)
}

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/

function areUserIds(text: string): boolean {
  if (text === '') return true
  if (CONTROL.test(text) || !text.isWellFormed()) return false
  const ids = text.split(',')
  const areValid = ids.every((id) => id !== '' && id.trim() === id && id.length <= MAX_ID)
  return areValid && new Set(ids).size === ids.length
}

/**
 * Returns the problem of a comma-separated list of users (spec ci 7.2). An empty list is valid. `title` is the name of
 * the field in the message.
 */
export function userIdsProblem(value: unknown, title: string): string[] {
  if (typeof value === 'string' && areUserIds(value)) return []
  return [`${title} must be a string of unique comma separated values each ${MAX_ID} characters or less`]
}

/** The strategies (spec ci 7.2) with the parameters that each of them requires. */
export const STRATEGIES = {
  default: [],
  gradualRolloutUserId: ['groupId', 'percentage'],
  flexibleRollout: ['groupId', 'rollout', 'stickiness'],
  userWithId: ['userIds'],
  serviceUserList: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** The name of a strategy, as stored and shown. */
export type StrategyName = keyof typeof STRATEGIES
/** The values of stickiness: the property that determines the result of a flexible rollout for a user. */

export const STICKINESS = ['default', 'userId', 'sessionId', 'random'] as const

/** Whether a text is the name of a strategy. */
export function isStrategy(name: string): name is StrategyName {
  return Object.hasOwn(STRATEGIES, name)
}

/** Returns the stored name of a strategy, which clients may call by another name. */
export function canonicalName(name: string): string {
  return name === USER_LIST_STRATEGY ? 'serviceUserList' : name
}

/** Returns the stickiness in the spelling of SDKs. Some clients send capital letters. */
export function canonicalStickiness(value: unknown): unknown {
  return (
    STICKINESS.find((name) => typeof value === 'string' && name.toLowerCase() === value.toLowerCase()) ??
    value
  )
}
