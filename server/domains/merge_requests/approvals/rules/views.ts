import type { Ctx } from '../../../../ctx.ts'
import type { Group } from '../../../groups/index.ts'
import { type Project, protectionsOf } from '../../../projects/index.ts'
import { usersById, type UserBasicRow } from '../../../users/index.ts'
import { eligibleApprovers, type RuleState } from '../state.ts'
import { isOverridable, isSameSet, type Rule } from './rule.ts'
import * as store from './store.ts'
import { visibleGroupsById } from './validation.ts'

interface RuleView {
  readonly rule: Rule
  readonly approvals_required: number
  readonly eligible: readonly UserBasicRow[]
  readonly users: readonly UserBasicRow[]
  /** The groups that the reader may see. */
  readonly groups: readonly Group[]
  /** Whether the rule has groups that the reader may not see. */
  readonly hasHiddenGroups: boolean
}

/** A project rule with the data of its entity. */
export interface ProjectRuleView extends RuleView {
  readonly branches: ReturnType<typeof protectionsOf>
}

/** A merge request rule with the data of its entity. */
export interface RequestRuleView extends RuleView {
  /** The project rule that the rule was copied from. */
  readonly source: Rule | undefined
  readonly overridden: boolean
}

/** A merge request rule with the users who approved. */
export interface RuleStateView extends RequestRuleView {
  readonly approved_by: readonly UserBasicRow[]
  readonly approved: boolean
}

/** A rule with its computed values. */
interface RuleValues {
  readonly rule: Rule
  readonly approvals_required: number
  readonly eligible_ids: readonly number[]
}

/** Loads the users and groups of rules, with one query each. */
function viewsOf(ctx: Ctx, ruleValues: readonly RuleValues[]): RuleView[] {
  const groups = visibleGroupsById(
    ctx,
    ruleValues.flatMap(({ rule }) => rule.group_ids),
  )
  const users = usersById(
    ctx.db,
    ruleValues.flatMap(({ rule, eligible_ids }) => [...rule.user_ids, ...eligible_ids]),
  )
  const valuesOf = <T>(map: ReadonlyMap<number, T>, ids: readonly number[]) =>
    ids.flatMap((id) => map.get(id) ?? [])
  return ruleValues.map(({ rule, approvals_required, eligible_ids }) => ({
    rule,
    approvals_required,
    eligible: valuesOf(users, eligible_ids),
    users: valuesOf(users, rule.user_ids),
    groups: valuesOf(groups, rule.group_ids),
    hasHiddenGroups: rule.group_ids.some((id) => !groups.has(id)),
  }))
}

/** Loads the views of project rules. */
export function projectRuleViews(ctx: Ctx, project: Project, rules: readonly Rule[]): ProjectRuleView[] {
  const eligible = eligibleApprovers(ctx, project, rules)
  const protections = protectionsOf(ctx.db, project.id)
  const ruleValues = rules.map((rule) => ({
    rule,
    approvals_required: rule.approvals_required,
    eligible_ids: eligible.get(rule.id) ?? [],
  }))
  return viewsOf(ctx, ruleValues).map((view) => ({
    ...view,
    branches: protections.filter((protection) => view.rule.branch_ids.includes(protection.id)),
  }))
}

/** Loads the views of merge request rules. The eligible approvers come from `states`. */
export function requestRuleViews(
  ctx: Ctx,
  project: Project,
  states: readonly RuleState[],
): RequestRuleView[] {
  const sources = new Map(store.ofProject(ctx.db, project.id).map((rule) => [rule.id, rule]))
  const ruleValues = states.map(({ rule, approvals_required, approver_ids }) => ({
    rule,
    approvals_required,
    eligible_ids: approver_ids,
  }))
  return viewsOf(ctx, ruleValues).map((view) => {
    const source = view.rule.source_rule_id === null ? undefined : sources.get(view.rule.source_rule_id)
    return { ...view, source, overridden: source !== undefined && isOverridden(view.rule, source) }
  })
}

function isOverridden(rule: Rule, source: Rule): boolean {
  return (
    isOverridable(rule) &&
    (rule.name !== source.name ||
      rule.approvals_required !== source.approvals_required ||
      !isSameSet(rule.user_ids, source.user_ids) ||
      !isSameSet(rule.group_ids, source.group_ids))
  )
}

/** Loads the views of merge request rules with the users who approved. */
export function stateViews(ctx: Ctx, project: Project, states: readonly RuleState[]): RuleStateView[] {
  const users = usersById(
    ctx.db,
    states.flatMap((state) => state.approved_by_ids),
  )
  return requestRuleViews(ctx, project, states).map((view, index) => {
    const { approved, approved_by_ids } = states[index]!
    return { ...view, approved, approved_by: approved_by_ids.flatMap((id) => users.get(id) ?? []) }
  })
}
