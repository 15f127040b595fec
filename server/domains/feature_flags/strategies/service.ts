import { notFound } from '../../../lib/fail.ts'
import { canonicalName, canonicalStickiness, scopeProblems, strategyProblems } from './validation.ts'
import type { Strategy, StrategyState } from '../flags/store.ts'

/** A scope in a request. `_destroy` deletes the scope with the ID. */
export interface ScopeInput {
  readonly id?: number | undefined
  readonly environment_scope?: string | undefined
  readonly _destroy?: boolean | undefined
}

/** A strategy in a request. With an ID it updates that strategy; missing fields stay unchanged. */
export interface StrategyInput {
  readonly id?: number | undefined
  readonly name?: string | undefined
  readonly parameters?: unknown
  readonly user_list_id?: number | null | undefined
  readonly scopes?: readonly ScopeInput[] | undefined
  readonly _destroy?: boolean | undefined
}

/** Returns the state of a stored strategy. */
export function stateOf(strategy: Strategy): StrategyState {
  return { ...strategy, user_list_id: strategy.list?.id ?? null }
}

/**
 * Returns the strategies of a flag after a request. Strategies that the request does not name stay unchanged. Throws 404
 * for unknown IDs of strategies or scopes.
 */
export function applyChanges(
  current: readonly StrategyState[],
  input: readonly StrategyInput[],
): StrategyState[] {
  return merge(current, input, (before, strategy) => {
    const name = canonicalName(strategy.name ?? before?.name ?? '')
    const parameters = withStickiness(strategy.parameters ?? before?.parameters ?? {})
    // A strategy with a new name loses its user list without an error.
    const currentList = before?.name === name ? before.user_list_id : null
    const user_list_id = strategy.user_list_id === undefined ? currentList : strategy.user_list_id
    const scopes = applyScopeChanges(before?.scopes ?? [], strategy.scopes ?? [])
    return { id: before?.id, name, parameters, user_list_id, scopes }
  })
}

function applyScopeChanges(current: StrategyState['scopes'], input: readonly ScopeInput[]) {
  return merge(current, input, (before, scope) => ({
    id: before?.id,
    environment_scope: scope.environment_scope ?? before?.environment_scope ?? '',
  }))
}

interface Identified {
  readonly id?: number | undefined
}

/** Returns the current items with their changes, without the deleted ones, and then the new items. */
function merge<
  Item extends Identified,
  Input extends Identified & { readonly _destroy?: boolean | undefined },
>(
  current: readonly Item[],
  input: readonly Input[],
  change: (before: Item | undefined, input: Input) => Item,
): Item[] {
  const result = new Map(current.map((item) => [item.id!, item]))
  const added: Item[] = []
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
  return { ...parameters, stickiness: canonicalStickiness(parameters.stickiness) }
}

/** The maximum number of strategies of a flag, and of scopes of a strategy. Every poll of a client reads all of them. */
const MAX_ENTRIES = 100

/** Returns the problems of the strategies of a flag, as error messages. `lists` are the IDs of the project's user lists. */
export function problemsOf(strategies: readonly StrategyState[], lists: ReadonlySet<number>): string[] {
  const tooMany =
    strategies.length > MAX_ENTRIES || strategies.some((strategy) => strategy.scopes.length > MAX_ENTRIES)
  const problems = strategies.flatMap((strategy) => [
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

function listProblems({ name, user_list_id }: StrategyState, lists: ReadonlySet<number>): string[] {
  if (name !== 'serviceUserList') return user_list_id === null ? [] : ['user list must be blank']
  if (user_list_id === null) return ["user list can't be blank"]
  return lists.has(user_list_id) ? [] : ['user list must belong to the same project']
}
