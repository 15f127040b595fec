import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { fail } from '../../../../lib/fail.ts'
import type { Project } from '../../../projects/index.ts'
import { canUpdate } from '../../policy.ts'
import type { MergeRequestRow } from '../../types.ts'
import { publishNewApprovers } from '../service.ts'
import { canOverride, overridingRules, projectRulesFor } from '../state.ts'
import { isAssignee, settingsOf } from '../store.ts'
import { isOverridable, type Rule } from './rule.ts'
import * as store from './store.ts'
import {
  checkSingleAnyApprover,
  checkRule,
  findRule,
  findGroups,
  hasApprovers,
  nameTaken,
  findUsers,
  type ApproversInput,
  type RuleInput,
} from './validation.ts'

/** A merge request with its target project. */
export interface Target {
  readonly request: MergeRequestRow
  readonly project: Project
}

/** Throws 403 unless the actor may update the merge request and it is not merged. */
export function checkMayChange(ctx: Ctx, { request, project }: Target): void {
  const isActorAssigned = isAssignee(ctx.db, request.id, ctx.actor.id)
  if (!canUpdate(ctx, project, request, isActorAssigned) || request.state === 'merged')
    throw fail('forbidden')
}

/** Throws 403 as `checkMayChange` does, and when the project does not allow overrides. */
export function checkMayOverride(ctx: Ctx, target: Target): void {
  checkMayChange(ctx, target)
  if (!canOverride(settingsOf(ctx.db, target.project.id))) throw fail('forbidden')
}

/**
 * Lists the rules that the API shows for a merge request: its own rules, code owner rules, and rules that watch reports.
 */
export function requestRules(ctx: Ctx, { request, project }: Target): Rule[] {
  const isMerged = request.state === 'merged'
  const rules = store.ofRequest(ctx.db, request.id).filter((rule) => rule.frozen === isMerged)
  if (isMerged) return rules
  const reports = projectRulesFor(ctx, project, request.target_branch).filter((rule) => !isOverridable(rule))
  return [...rules, ...reports]
}

/**
 * Finds a rule that users may change. Throws 404 for an unknown rule, 403 for code owner rules and rules that watch
 * reports.
 */
function editableRule(ctx: Ctx, target: Target, id: number): Rule {
  const rule = findRule(requestRules(ctx, target), id)
  if (!isOverridable(rule)) throw fail('forbidden')
  return rule
}

/** The content of a new merge request rule. */
export interface NewRequestRule extends RuleInput, ApproversInput {
  /** The project rule to copy the name, users and groups from. */
  readonly approval_project_rule_id?: number | undefined
}

/**
 * Creates a rule of a merge request. Rules of a merge request override the regular rules of its project (spec
 * administration 12.4). Throws 400 as `createProjectRule` does, and for fewer approvals than its source requires.
 */
export function createRequestRule(ctx: Ctx, target: Target, input: NewRequestRule): Rule {
  checkMayOverride(ctx, target)
  const source = sourceOf(ctx, target.project, input.approval_project_rule_id)
  const { approvals_required } = input
  const name = source?.name ?? input.name
  checkRule({ name, approvals_required }, source?.approvals_required)
  const rule_type = source?.rule_type ?? (hasApprovers(input) ? 'regular' : 'any_approver')
  checkUnique(ctx, target, { name, rule_type })
  const lists = source ?? {
    user_ids: findUsers(ctx, target.project, input),
    group_ids: findGroups(ctx, input),
  }
  const { user_ids, group_ids } = rule_type === 'any_approver' ? { user_ids: [], group_ids: [] } : lists
  const row = { name, rule_type, approvals_required, source_rule_id: source?.id ?? null }
  return saveRule(ctx, target, () => insertRule(ctx, target.request, row, { user_ids, group_ids }))
}

function sourceOf(ctx: Ctx, project: Project, id: number | undefined): Rule | undefined {
  if (id === undefined) return undefined
  const source = findRule(store.ofProject(ctx.db, project.id), id)
  if (!isOverridable(source)) throw fail('forbidden')
  return source
}

function checkUnique(
  ctx: Ctx,
  { request }: Target,
  { name, rule_type }: Pick<Rule, 'name' | 'rule_type'>,
): void {
  const rules = store.ofRequest(ctx.db, request.id).filter(isOverridable)
  if (rule_type === 'any_approver') checkSingleAnyApprover(rules, 'merge request')
  else if (rules.some((rule) => rule.name === name && rule.rule_type === rule_type)) throw nameTaken()
}

/** Inserts a rule of a merge request and returns its ID. */
export function insertRule(
  ctx: Ctx,
  request: MergeRequestRow,
  row: Pick<Rule, 'name' | 'rule_type' | 'approvals_required' | 'source_rule_id'>,
  lists: Pick<Rule, 'user_ids' | 'group_ids'>,
): number {
  const times = { created_at: ctx.now, updated_at: ctx.now }
  return store.insert(ctx.db, { ...row, ...times, merge_request_id: request.id }, lists)
}

/** The changes of a merge request rule. An undefined field stays unchanged. */
export interface RequestRuleChanges extends Partial<RuleInput>, ApproversInput {
  readonly remove_hidden_groups?: boolean | undefined
}

/**
 * Updates a rule of a merge request. Lists in `changes` replace those of the rule. Throws 404 for an unknown rule, 403
 * when it cannot be changed, 400 as `createRequestRule` does.
 */
export function changeRequestRule(ctx: Ctx, target: Target, id: number, changes: RequestRuleChanges): Rule {
  checkMayChange(ctx, target)
  const rule = editableRule(ctx, target, id)
  checkMayOverride(ctx, target)
  const { name = rule.name, approvals_required = rule.approvals_required } = changes
  const source = store
    .ofProject(ctx.db, target.project.id)
    .find((candidate) => candidate.id === rule.source_rule_id)
  checkRule({ name, approvals_required }, source?.approvals_required)
  if (name !== rule.name && rule.rule_type === 'regular') checkUnique(ctx, target, { ...rule, name })
  const lists = rule.rule_type === 'any_approver' ? {} : listsOf(ctx, target, rule, changes)
  return saveRule(ctx, target, () => {
    store.update(ctx.db, rule.id, { name, approvals_required, updated_at: ctx.now }, lists)
    return rule.id
  })
}

/** Returns the lists that the client sent. A list that is missing stays unchanged. */
function listsOf(ctx: Ctx, { project }: Target, rule: Rule, changes: RequestRuleChanges): store.RuleLists {
  const {
    user_ids,
    usernames,
    group_ids = rule.group_ids,
    remove_hidden_groups: removeHidden = false,
  } = changes
  const groups = findGroups(ctx, { group_ids }, { rule, removeHidden })
  return {
    group_ids: groups,
    ...(user_ids || usernames ? { user_ids: findUsers(ctx, project, changes) } : {}),
  }
}

/** Deletes a rule of a merge request. After the last one, the rules of the project apply again. */
export function deleteRequestRule(ctx: Ctx, target: Target, id: number): void {
  checkMayChange(ctx, target)
  const rule = editableRule(ctx, target, id)
  checkMayOverride(ctx, target)
  tx(ctx.db, () => {
    store.remove(ctx.db, rule.id)
    publishNewApprovers(ctx, target.request)
  })
}

function saveRule(ctx: Ctx, target: Target, write: () => number): Rule {
  return tx(ctx.db, () => {
    const id = write()
    publishNewApprovers(ctx, target.request)
    return findRule(store.ofRequest(ctx.db, target.request.id), id)
  })
}

/** Copies the rules of the project to the merge request, so that they can change separately. */
export function copyProjectRules(ctx: Ctx, { request, project }: Target): void {
  if (overridingRules(ctx, request, settingsOf(ctx.db, project.id)).length > 0) return
  for (const rule of projectRulesFor(ctx, project, request.target_branch).filter(isOverridable)) {
    const { name, rule_type, approvals_required } = rule
    insertRule(ctx, request, { name, rule_type, approvals_required, source_rule_id: rule.id }, rule)
  }
}
