import { userIdsProblem } from '../user_lists/rules.ts'
import { isStrategy, STICKINESS, STRATEGIES, type StrategyName } from './names.ts'

const GROUP = /^[a-z]{1,32}$/
const INVALID = 'parameters are invalid'

type Values = Readonly<Record<string, unknown>>

/** True for text that says a whole number from 0 to 100. */
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
    ...(STICKINESS.some((one) => one === stickiness) ? [] : [`stickiness parameter must be ${words}`]),
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

/** What is wrong with the parameters of a strategy (spec ci 7.2); empty for good ones. */
export function parameterProblems(name: StrategyName, parameters: unknown): string[] {
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) return [INVALID]
  const given = Object.keys(parameters).sort().join()
  const wanted = STRATEGIES[name].toSorted().join()
  return given === wanted ? VALUES[name](parameters as Values) : [INVALID]
}

/** What is wrong with the name of a strategy and its parameters, as sentences that begin with what is wrong. */
export function strategyProblems(name: string, parameters: unknown): string[] {
  if (!isStrategy(name)) return ['name strategy name is invalid']
  return parameterProblems(name, parameters).map((problem) => `parameters ${problem}`)
}

const MAX_SCOPE = 255
const SCOPE = /^[A-Za-z0-9_/${}. *-]+$/
const SCOPE_RULE = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"

/** What is wrong with the environment scopes of one strategy, or of one legacy flag. */
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
