import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import type { PushRuleView } from './entity.ts'
import { PushRuleChanged } from '../events.ts'
import * as store from './store.ts'
import { ruleOfInstance, type PushRuleColumns, type PushRuleRow, type RuleScope } from './store.ts'
import { FOLLOWING, PATTERNS, valueOf, type FollowingName, type PatternName } from './types.ts'
import { finder, patternProblem } from './validation.ts'

/** The values of a push rule in a request. */
export type RuleChanges = Partial<Record<PatternName, string | null | undefined>> &
  Partial<Record<FollowingName, boolean | null | undefined>> & {
    readonly deny_delete_tag?: boolean | undefined
    readonly member_check?: boolean | undefined
    readonly prevent_secrets?: boolean | undefined
    readonly max_file_size?: number | undefined
  }

const SWITCHES = ['deny_delete_tag', 'member_check', 'prevent_secrets'] as const
const MAX_PATTERN = 511
const MAX_MEGABYTES = 2 ** 31 - 1

const isInstance = (scope: RuleScope): boolean => scope.project_id === null && scope.group_id === null

/** Loads the push rule of a project, a group or the instance, for the actor. */
export function ruleAt(ctx: Ctx, scope: RuleScope): PushRuleView | undefined {
  const row = store.ruleOf(ctx.db, scope)
  return row && viewOf(ctx, row)
}

function viewOf(ctx: Ctx, row: PushRuleRow): PushRuleView {
  const instance = ruleOfInstance(ctx.db)
  return { row, instance, mayChange: (name) => ctx.actor.is_admin || instance?.[name] !== true }
}

/**
 * Creates the push rule of a scope without one. Throws 400 for invalid values, 403 for values that the instance
 * enforces.
 */
export function createRule(ctx: Ctx, scope: RuleScope, input: RuleChanges): PushRuleView {
  return tx(ctx.db, () => {
    const columns = columnsOf(ctx, scope, input, undefined)
    const times = { created_at: ctx.now, updated_at: ctx.now }
    const row = store.insert(ctx.db, { ...idsOf(scope), ...columns, ...times })
    publishChange(ctx, row, 'created', Object.keys(columns))
    return viewOf(ctx, row)
  })
}

/** Updates a push rule. Throws the errors of `createRule`. */
export function updateRule(ctx: Ctx, before: PushRuleRow, input: RuleChanges): PushRuleView {
  return tx(ctx.db, () => {
    const columns = columnsOf(ctx, before, input, before)
    const changed = Object.keys(columns).filter(
      (name) => columns[name as keyof PushRuleColumns] !== before[name as keyof PushRuleRow],
    )
    if (changed.length === 0) return viewOf(ctx, before)
    const row = store.update(ctx.db, before.id, { ...columns, updated_at: ctx.now })
    publishChange(ctx, row, 'updated', changed)
    return viewOf(ctx, row)
  })
}

/** Deletes a push rule. Rules that were copied from it stay. */
export function removeRule(ctx: Ctx, row: PushRuleRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, row.id)
    publishChange(ctx, row, 'deleted', [])
  })
}

const idsOf = ({ project_id, group_id }: RuleScope) => ({ project_id, group_id })

function columnsOf(
  ctx: Ctx,
  scope: RuleScope,
  input: RuleChanges,
  before: PushRuleRow | undefined,
): PushRuleColumns {
  check(input)
  const columns: PushRuleColumns = {}
  for (const name of PATTERNS) if (input[name] !== undefined) columns[name] = input[name]
  for (const name of SWITCHES) if (input[name] !== undefined) columns[name] = input[name]
  if (input.max_file_size !== undefined) columns.max_file_size = input.max_file_size
  const instance = ruleOfInstance(ctx.db)
  for (const name of FOLLOWING) {
    const value = input[name]
    if (value === undefined) continue
    // Only administrators may change values that the instance enforces.
    const isSame = value === (before ? valueOf(before, name, instance) : (instance?.[name] ?? false))
    if (instance?.[name] === true && !ctx.actor.is_admin && !isSame) throw fail('forbidden')
    // A value that is turned off is stored as null, so that it follows the instance if that enforces it later.
    const follows = !isInstance(scope) && !value && instance?.[name] !== true
    columns[name] = value === null || follows ? null : value
  }
  return columns
}

function check(input: RuleChanges): void {
  const problems: Record<string, string[]> = {}
  for (const name of PATTERNS) {
    const source = input[name]
    if (!source) continue
    if (source.length > MAX_PATTERN) problems[name] = [`is too long (maximum is ${MAX_PATTERN} characters)`]
    else {
      const problem = patternProblem(name, source)
      if (problem) problems[name] = [`not valid RE2 syntax: ${problem}`]
    }
  }
  const size = input.max_file_size ?? 0
  if (size < 0) problems['max_file_size'] = ['must be greater than or equal to 0']
  if (size > MAX_MEGABYTES) problems['max_file_size'] = [`must be less than or equal to ${MAX_MEGABYTES}`]
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

function publishChange(
  ctx: Ctx,
  { project_id, group_id }: RuleScope,
  action: 'created' | 'updated' | 'deleted',
  changed: string[],
): void {
  publish(ctx, PushRuleChanged, {
    ...(project_id === null ? {} : { project_id }),
    ...(group_id === null ? {} : { group_id }),
    action,
    changed,
    actor_id: ctx.actor.id,
  })
}

/** Tests a pattern on a text in the same way as pushes are checked. */
export function testPattern({ rule, pattern, text }: { rule: PatternName; pattern: string; text: string }) {
  const problem = patternProblem(rule, pattern)
  return { problem, matches: problem === undefined && (finder(rule, pattern)?.(text) ?? false) }
}
