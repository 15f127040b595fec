import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { FeatureFlagChanged } from '../events.ts'
import { applyChanges, problemsOf, stateOf, type StrategyInput } from '../strategies/service.ts'
import { scopeProblems, strategyProblems } from '../strategies/validation.ts'
import { byIds } from '../user_lists/store.ts'
import type { FlagView } from './entity.ts'
import * as store from './store.ts'
import {
  insertLegacyScope,
  type FeatureFlagRow,
  replaceStrategies,
  type StrategyState,
  viewsOf,
} from './store.ts'

const NAME = /^[a-z]([-_a-z0-9]*[a-z0-9])?$/

const NAME_RULE =
  "can contain only lowercase letters, digits, '_' and '-'. Must start with a letter, and cannot end with '-' or '_'"

const MAX_DESCRIPTION = 255

/** Returns the problems of the name of a flag (spec ci 7.2), as error messages. */
function flagNameProblems(name: string): string[] {
  return [
    ...(name.trim() === '' ? ["Name can't be blank"] : []),
    ...(name.length < 2 ? ['Name is too short (minimum is 2 characters)'] : []),
    ...(name.length > 63 ? ['Name is too long (maximum is 63 characters)'] : []),
    ...(NAME.test(name) ? [] : [`Name ${NAME_RULE}`]),
  ]
}

/** Returns the problems of the description of a flag, as error messages. */
function descriptionProblems(description: string | null): string[] {
  const isLong = (description?.length ?? 0) > MAX_DESCRIPTION
  return isLong ? [`Description is too long (maximum is ${MAX_DESCRIPTION} characters)`] : []
}

/** A scope of a legacy flag in a request. */
interface LegacyScopeInput {
  readonly environment_scope: string
  readonly active: boolean
  readonly strategies?: unknown
}

/** Returns the problems of the scopes of a legacy flag, as error messages. */
function legacyScopeProblems(scopes: readonly LegacyScopeInput[]): string[] {
  const names = scopes.map((scope) => scope.environment_scope)
  const beginsWithDefault = scopes.length === 0 || names[0] === '*'
  return [
    ...(beginsWithDefault ? [] : ['Default scope has to be the first element']),
    ...scopeProblems(names).map((problem) => `Scopes ${problem}`),
    ...scopes.flatMap((scope) => legacyStrategyProblems(scope.strategies)),
  ]
}

function legacyStrategyProblems(strategies: unknown): string[] {
  if (strategies === undefined) return []
  if (!Array.isArray(strategies) || strategies.length === 0 || strategies.length > 100)
    return ['Scopes strategies must be an array of strategy hashes']
  return (strategies as { name?: unknown; parameters?: unknown }[]).flatMap((strategy) => {
    const isList = typeof strategy?.name === 'string' && strategy.name === 'serviceUserList'
    const name = typeof strategy?.name === 'string' && !isList ? strategy.name : ''
    return strategyProblems(name, strategy?.parameters ?? {}).map((problem) => `Scopes strategies ${problem}`)
  })
}

const DEFAULT_STRATEGIES = [{ name: 'default', parameters: {} }]

/** Adds the scopes of a new legacy flag. The default is one scope for all environments, with the state of the flag. */
function addLegacyScopes(ctx: Ctx, flag: FeatureFlagRow, input: readonly LegacyScopeInput[]): void {
  const scopes = input.length > 0 ? input : [{ environment_scope: '*', active: flag.active }]
  for (const { environment_scope, active, ...scope } of scopes) {
    const strategies = ('strategies' in scope ? scope.strategies : undefined) ?? DEFAULT_STRATEGIES
    insertLegacyScope(ctx.db, {
      feature_flag_id: flag.id,
      environment_scope,
      active,
      strategies: (strategies as object[]).map(nameAndParameters),
      created_at: ctx.now,
      updated_at: ctx.now,
    })
  }
}

/** Returns only the name and the parameters of a strategy in a request. */
function nameAndParameters(strategy: { readonly name?: unknown; readonly parameters?: unknown }) {
  return { name: strategy.name, parameters: strategy.parameters ?? {} }
}

/** The maximum number of flags of a project (spec ci 7.2). */
const MAX_FLAGS = 50

/** The fields of a flag that can be changed. */
export interface FlagFields {
  readonly name: string
  readonly description?: string | null | undefined
  readonly active?: boolean | undefined
  readonly strategies?: readonly StrategyInput[] | undefined
}

/** The fields of a new flag. A flag without version and strategies is a legacy flag, which has scopes. */
export interface NewFlag extends FlagFields {
  readonly version?: string | undefined
  readonly scopes?: readonly LegacyScopeInput[] | undefined
}

/** Returns one page of the flags of a project. */
export function listFlags(
  ctx: Ctx,
  filter: store.FlagFilter,
  paging: { readonly limit: number; readonly offset: number },
) {
  const { rows, total } = store.list(ctx.db, filter, paging)
  return { rows: viewsOf(ctx, rows), total }
}

/** Returns a flag of a project by its name. Throws `404 Feature Flag Not Found`. */
export function findFlag(ctx: Ctx, projectId: number, name: string): FeatureFlagRow {
  const row = store.byName(ctx.db, projectId, name)
  if (!row) throw notFound('Feature Flag')
  return row
}

/** Loads the view of a single flag. Throws 404 for a legacy flag, which only lists show (spec ci 7.4). */
export function showFlag(ctx: Ctx, row: FeatureFlagRow): FlagView {
  if (row.version === 'legacy_flag') throw notFound('Feature Flag')
  return viewsOf(ctx, [row])[0]!
}

/** Creates a flag. Throws 400 with error messages. */
export function createFlag(ctx: Ctx, project: Project, input: NewFlag): FlagView {
  checkWritable(project)
  if (input.version !== undefined && input.version !== 'new_version_flag')
    throw fail('bad_request', 'Version is invalid')
  const { name, description = null, active = true, scopes = [] } = input
  const strategies = applyChanges([], input.strategies ?? [])
  // Legacy flags have no strategies.
  const version: FeatureFlagRow['version'] =
    input.version ?? (strategies.length > 0 ? 'new_version_flag' : 'legacy_flag')
  return tx(ctx.db, () => {
    const problems = [
      ...fieldProblems(ctx, project.id, { name, description }),
      ...versionProblems(version, scopes),
      ...strategyListProblems(ctx, project.id, strategies),
      ...legacyScopeProblems(scopes),
    ]
    if (problems.length > 0) throw fail('bad_request', [...new Set(problems)])
    if (store.count(ctx.db, project.id) >= MAX_FLAGS)
      throw fail('bad_request', [`Maximum number of project feature flags (${MAX_FLAGS}) exceeded`])
    const times = { created_at: ctx.now, updated_at: ctx.now }
    const columns = { project_id: project.id, name, description, active, version }
    const row = store.insert(ctx.db, { ...columns, ...times })
    replaceStrategies(ctx.db, row.id, strategies)
    if (version === 'legacy_flag') addLegacyScopes(ctx, row, scopes)
    publishChange(ctx, row, 'created', false)
    return viewsOf(ctx, [row])[0]!
  })
}

/** Updates a flag, its strategies and their scopes. Throws 400 with error messages, and 422 for a legacy flag. */
export function updateFlag(
  ctx: Ctx,
  project: Project,
  before: FeatureFlagRow,
  changes: Partial<FlagFields>,
): FlagView {
  checkWritable(project)
  if (before.version === 'legacy_flag')
    throw fail('unprocessable', 'PUT operations are not supported for legacy feature flags')
  return tx(ctx.db, () => {
    const current = viewsOf(ctx, [before])[0]!
    const name = changes.name ?? before.name
    const description = changes.description === undefined ? before.description : changes.description
    const active = changes.active === undefined ? before.active : changes.active
    const currentStrategies = current.strategies.map(stateOf)
    const strategies = applyChanges(currentStrategies, changes.strategies ?? [])
    const problems = [
      ...fieldProblems(ctx, project.id, { name, description }, before.id),
      ...strategyListProblems(ctx, project.id, strategies),
    ]
    if (problems.length > 0) throw fail('bad_request', problems)
    const columns = { name, description, active }
    if (isSame({ ...columns, strategies }, { ...before, strategies: currentStrategies })) return current
    const row = store.update(ctx.db, before.id, { ...columns, updated_at: ctx.now })
    replaceStrategies(ctx.db, row.id, strategies)
    publishChange(ctx, row, 'updated', row.active !== before.active)
    return viewsOf(ctx, [row])[0]!
  })
}

/** Deletes a flag. */
export function removeFlag(ctx: Ctx, project: Project, row: FeatureFlagRow): void {
  checkWritable(project)
  tx(ctx.db, () => {
    store.remove(ctx.db, row.id)
    publishChange(ctx, row, 'deleted', false)
  })
}

function checkWritable(project: Project): void {
  if (project.archived) throw fail('forbidden', 'Access Denied')
}

function fieldProblems(
  ctx: Ctx,
  projectId: number,
  { name, description }: { readonly name: string; readonly description: string | null },
  exceptId?: number,
): string[] {
  const other = store.byName(ctx.db, projectId, name)
  const isTaken = other !== undefined && other.id !== exceptId
  return [
    ...flagNameProblems(name),
    ...(isTaken ? ['Name has already been taken'] : []),
    ...descriptionProblems(description),
  ]
}

function versionProblems(version: string, scopes: readonly unknown[]): string[] {
  const isMixed = version === 'new_version_flag' && scopes.length > 0
  return isMixed ? ['Version associations version 2 feature flags may not have scopes'] : []
}

function strategyListProblems(ctx: Ctx, projectId: number, strategies: readonly StrategyState[]): string[] {
  const listIds = strategies.flatMap((strategy) => strategy.user_list_id ?? [])
  const lists = listIds.length === 0 ? [] : [...byIds(ctx.db, listIds).values()]
  const ownIds = lists.filter((list) => list.project_id === projectId).map((list) => list.id)
  return problemsOf(strategies, new Set(ownIds))
}

interface FlagState {
  readonly name: string
  readonly description: string | null
  readonly active: boolean
  readonly strategies: readonly StrategyState[]
}

function isSame(a: FlagState, b: FlagState): boolean {
  const comparable = ({ name, description, active, strategies }: FlagState) =>
    JSON.stringify([
      name,
      description,
      active,
      strategies.map((strategy) => [
        strategy.id,
        strategy.name,
        Object.entries(strategy.parameters as object).sort(),
        strategy.user_list_id,
        strategy.scopes.map((scope) => [scope.id, scope.environment_scope]),
      ]),
    ])
  return comparable(a) === comparable(b)
}

function publishChange(
  ctx: Ctx,
  row: FeatureFlagRow,
  action: 'created' | 'updated' | 'deleted',
  toggled: boolean,
): void {
  const { project_id, id: feature_flag_id, name } = row
  const active = row.active
  const event = { feature_flag_id, name, action, toggled, active }
  publish(ctx, FeatureFlagChanged, { project_id, actor_id: ctx.actor.id, ...event })
}
