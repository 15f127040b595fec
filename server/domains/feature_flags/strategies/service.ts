import { notFound } from '../../../lib/fail.ts'
import { neutralName, neutralStickiness, scopeProblems, strategyProblems } from './validation.ts'
import type { Strategy, WantedStrategy } from '../flags/store.ts'

/** A scope in a request. `_destroy` deletes the one with the id. */
export interface ScopeInput {
  readonly id?: number | undefined
  readonly environment_scope?: string | undefined
  readonly _destroy?: boolean | undefined
}

/** A strategy in a request: with an id it changes that one, and missing fields stay. */
export interface StrategyInput {
  readonly id?: number | undefined
  readonly name?: string | undefined
  readonly parameters?: unknown
  readonly user_list_id?: number | null | undefined
  readonly scopes?: readonly ScopeInput[] | undefined
  readonly _destroy?: boolean | undefined
}

/** A strategy of a flag with its changes. */
export function asWanted(strategy: Strategy): WantedStrategy {
  return { ...strategy, user_list_id: strategy.list?.id ?? null }
}

/**
 * The strategies of a flag after a request; strategies that it does not name stay. Throws 404 for ids of other strategies or
 * scopes.
 */
export function edited(
  present: readonly WantedStrategy[],
  input: readonly StrategyInput[],
): WantedStrategy[] {
  return merged(present, input, (before, strategy) => {
    const name = neutralName(strategy.name ?? before?.name ?? '')
    const parameters = withStickiness(strategy.parameters ?? before?.parameters ?? {})
    // A list of a strategy that uses no list any more is dropped without an error.
    const currentList = before?.name === name ? before.user_list_id : null
    const user_list_id = strategy.user_list_id === undefined ? currentList : strategy.user_list_id
    const scopes = editedScopes(before?.scopes ?? [], strategy.scopes ?? [])
    return { id: before?.id, name, parameters, user_list_id, scopes }
  })
}

function editedScopes(present: WantedStrategy['scopes'], input: readonly ScopeInput[]) {
  return merged(present, input, (before, scope) => ({
    id: before?.id,
    environment_scope: scope.environment_scope ?? before?.environment_scope ?? '',
  }))
}

interface Identified {
  readonly id?: number | undefined
}

/** The remaining ones with their changes, in their order, and then the new ones. */
function merged<
  Present extends Identified,
  Given extends Identified & { readonly _destroy?: boolean | undefined },
>(
  present: readonly Present[],
  input: readonly Given[],
  change: (before: Present | undefined, input: Given) => Present,
): Present[] {
  const result = new Map(present.map((item) => [item.id!, item]))
  const added: Present[] = []
  for (const item of input) {
    const before = item.id === undefined ? undefined : result.get(item.id)
    if (item.id !== undefined && !before) throw notFound()
    if (before && item._destroy) result.delete(before.id!)
    else if (before) result.set(before.id!, change(before, item))
    else if (!item._destroy) added.push(change(undefined, item))
  }
  return [...result.values(), ...added]
}

function withStickiness(parameters: unknown): unknown {
  if (typeof parameters !== 'object' || parameters === null || !('stickiness' in parameters))
    return parameters
  return { ...parameters, stickiness: neutralStickiness(parameters.stickiness) }
}

/** A limit on the strategies of a flag and the scopes of a strategy; every poll of a client reads them all. */
const MAX_ENTRIES = 100

/** The problems with the strategies of a flag, as error messages; `lists` are the user lists of its project. */
export function problemsOf(wanted: readonly WantedStrategy[], lists: ReadonlySet<number>): string[] {
  const tooMany =
    wanted.length > MAX_ENTRIES || wanted.some((strategy) => strategy.scopes.length > MAX_ENTRIES)
  const problems = wanted.flatMap((strategy) => [
    ...strategyProblems(strategy.name, strategy.parameters),
    ...listProblems(strategy, lists),
    ...scopeProblems(strategy.scopes.map((scope) => scope.environment_scope)).map((text) => `scopes ${text}`),
  ])
  return [
    ...new Set([
      ...(tooMany ? [`Maximum number of strategies or scopes (${MAX_ENTRIES}) exceeded`] : []),
      ...problems.map((problem) => `Strategies ${problem}`),
    ]),
  ]
}

function listProblems({ name, user_list_id }: WantedStrategy, lists: ReadonlySet<number>): string[] {
  if (name !== 'serviceUserList') return user_list_id === null ? [] : ['user list must be blank']
  if (user_list_id === null) return ["user list can't be blank"]
  return lists.has(user_list_id) ? [] : ['user list must belong to the same project']
}
