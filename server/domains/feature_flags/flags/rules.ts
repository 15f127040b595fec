import { scopeProblems, strategyProblems } from '../strategies/rules.ts'

const NAME = /^[a-z]([-_a-z0-9]*[a-z0-9])?$/
const NAME_RULE =
  "can contain only lowercase letters, digits, '_' and '-'. Must start with a letter, and cannot end with '-' or '_'"
const MAX_DESCRIPTION = 255

/** What is wrong with the name of a flag (spec ci 7.2), as sentences. */
export function flagNameProblems(name: string): string[] {
  return [
    ...(name.trim() === '' ? ["Name can't be blank"] : []),
    ...(name.length < 2 ? ['Name is too short (minimum is 2 characters)'] : []),
    ...(name.length > 63 ? ['Name is too long (maximum is 63 characters)'] : []),
    ...(NAME.test(name) ? [] : [`Name ${NAME_RULE}`]),
  ]
}

/** What is wrong with the description of a flag, as sentences. */
export function descriptionProblems(description: string | null): string[] {
  const isLong = (description?.length ?? 0) > MAX_DESCRIPTION
  return isLong ? [`Description is too long (maximum is ${MAX_DESCRIPTION} characters)`] : []
}

/** A scope of a legacy flag as a request gives it. */
export interface GivenLegacyScope {
  readonly environment_scope: string
  readonly active: boolean
  readonly strategies?: unknown
}

/** What is wrong with the scopes of a legacy flag, as sentences. */
export function legacyScopeProblems(scopes: readonly GivenLegacyScope[]): string[] {
  const names = scopes.map((scope) => scope.environment_scope)
  const isLed = scopes.length === 0 || names[0] === '*'
  return [
    ...(isLed ? [] : ['Default scope has to be the first element']),
    ...scopeProblems(names).map((problem) => `Scopes ${problem}`),
    ...scopes.flatMap((scope) => legacyStrategyProblems(scope.strategies)),
  ]
}

function legacyStrategyProblems(strategies: unknown): string[] {
  if (strategies === undefined) return []
  if (!Array.isArray(strategies) || strategies.length === 0 || strategies.length > 100)
    return ['Scopes strategies must be an array of strategy hashes']
  return (strategies as { name?: unknown; parameters?: unknown }[]).flatMap((one) => {
    const isList = typeof one?.name === 'string' && one.name === 'serviceUserList'
    const name = typeof one?.name === 'string' && !isList ? one.name : ''
    return strategyProblems(name, one?.parameters ?? {}).map((problem) => `Scopes strategies ${problem}`)
  })
}
