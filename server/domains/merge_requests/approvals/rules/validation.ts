import type { Ctx } from '../../../../ctx.ts'
import { fail, invalid } from '../../../../lib/fail.ts'
import type { Group } from '../../../groups/index.ts'
import { type Project, protectionsOf } from '../../../projects/index.ts'
import { isMember } from '../../../repository/index.ts'
import { userByUsername } from '../../../users/index.ts'
import { MAX_APPROVALS, type Rule } from './rule.ts'
import * as store from './store.ts'

const MAX_NAME = 255

/** The fields of every rule. */
export interface RuleInput {
  readonly name: string
  readonly approvals_required: number
}

/** Throws 400 for an invalid name or number of approvals. `minimum` is the number that the project requires. */
export function checkRule({ name, approvals_required }: RuleInput, minimum = 0): void {
  const problems: Record<string, string> = {}
  if (name.length > MAX_NAME) problems['name'] = `is too long (maximum is ${MAX_NAME} characters)`
  if (approvals_required > MAX_APPROVALS)
    problems['approvals_required'] = `must be less than or equal to ${MAX_APPROVALS}`
  if (approvals_required < minimum)
    problems['approvals_required'] = `must be greater than or equal to ${minimum}`
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/** Makes the error for a second rule with the same name. */
export function nameTaken(): Error {
  return invalid({ name: 'has already been taken' })
}

/** Throws 400 for a second rule for all members. */
export function checkSingleAnyApprover(rules: readonly Rule[], owner: 'project' | 'merge request'): void {
  if (rules.some((rule) => rule.rule_type === 'any_approver'))
    throw invalid({ rule_type: `any-approver for the ${owner} already exists` })
}

/** Finds a rule by its ID. Throws `404 Not found`. */
export function findRule(rules: readonly Rule[], id: number): Rule {
  const rule = rules.find((rule) => rule.id === id)
  if (!rule) throw fail('not_found', '404 Not found')
  return rule
}

/** The approvers of a rule, as the client names them. */
export interface ApproversInput {
  readonly user_ids?: readonly number[] | undefined
  readonly usernames?: readonly string[] | undefined
  readonly group_ids?: readonly number[] | undefined
}

/** Whether the client names at least one approver. */
export function hasApprovers({ user_ids, usernames, group_ids }: ApproversInput): boolean {
  return [user_ids, usernames, group_ids].some((list) => (list?.length ?? 0) > 0)
}

/** Returns the IDs of the named users. Ignores users who are not members of the project (spec administration 12.2). */
export function findUsers(
  ctx: Ctx,
  project: Project,
  { user_ids = [], usernames = [] }: ApproversInput,
): number[] {
  const byName = usernames.flatMap((name) => userByUsername(ctx.db, name.trim())?.id ?? [])
  return [...new Set([...user_ids, ...byName])].filter((id) => isMember(ctx, project, id))
}

/** Returns the groups with these IDs that the actor may see, by ID. */
export function visibleGroupsById(ctx: Ctx, ids: readonly number[]): Map<number, Group> {
  if (ids.length === 0) return new Map()
  return new Map(store.visibleGroupsAmong(ctx, ids).map((row) => [row.id, row]))
}

/**
 * Returns the groups of a rule after a change: the given groups that the actor may see, and the current groups that the
 * actor may not see unless `removeHidden` is set.
 */
export function findGroups(
  ctx: Ctx,
  { group_ids = [] }: ApproversInput,
  before?: { rule: Rule; removeHidden: boolean },
): number[] {
  const groupIds = [...visibleGroupsById(ctx, group_ids).keys()]
  if (!before || before.removeHidden) return groupIds
  const visible = visibleGroupsById(ctx, before.rule.group_ids)
  return [...new Set([...groupIds, ...before.rule.group_ids.filter((id) => !visible.has(id))])]
}

/** Returns the IDs that belong to protected branches of the project. Ignores others. */
export function findBranches(ctx: Ctx, project: Project, ids: readonly number[]): number[] {
  const protectionIds = new Set(protectionsOf(ctx.db, project.id).map((protection) => protection.id))
  return [...new Set(ids)].filter((id) => protectionIds.has(id))
}
