import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { Failure, invalid } from '../../../../lib/fail.ts'
import { publishNewApprovers } from '../service.ts'
import { canOverride, projectRulesFor } from '../state.ts'
import { settingsOf } from '../store.ts'
import {
  checkMayChange,
  checkMayOverride,
  insertRule,
  copyProjectRules,
  type Target,
} from './request-service.ts'
import { ALL_MEMBERS, MAX_APPROVALS } from './rule.ts'
import * as store from './store.ts'
import { checkRule, findGroups, hasApprovers, findUsers, type ApproversInput } from './validation.ts'

/**
 * Sets the number of approvals, by any users, that a merge request requires in addition to its other rules
 * (deprecated). Throws 400 for fewer than the project requires, 422 when merge requests may not override rules.
 */
export function requireApprovals(ctx: Ctx, target: Target, approvals_required: number): void {
  checkMayChange(ctx, target)
  if (!canOverride(settingsOf(ctx.db, target.project.id))) {
    const error = 'Overriding approvals is disabled'
    throw new Failure('unprocessable', error, { body: { error } })
  }
  const minimum = requiredByProject(ctx, target)
  checkRule({ name: ALL_MEMBERS, approvals_required }, minimum)
  tx(ctx.db, () => {
    setRequiredCount(ctx, target, approvals_required)
    publishNewApprovers(ctx, target.request)
  })
}

function requiredByProject(ctx: Ctx, { request, project }: Target): number {
  const rules = projectRulesFor(ctx, project, request.target_branch)
  return rules.find((rule) => rule.rule_type === 'any_approver')?.approvals_required ?? 0
}

function setRequiredCount(ctx: Ctx, target: Target, approvals_required: number): void {
  copyProjectRules(ctx, target)
  const rules = store.ofRequest(ctx.db, target.request.id)
  const rule = rules.find((candidate) => candidate.rule_type === 'any_approver')
  if (rule) store.update(ctx.db, rule.id, { approvals_required, updated_at: ctx.now })
  else {
    const row = {
      name: ALL_MEMBERS,
      rule_type: 'any_approver' as const,
      approvals_required,
      source_rule_id: null,
    }
    insertRule(ctx, target.request, row, { user_ids: [], group_ids: [] })
  }
}

/**
 * Adds a rule to a new merge request if its `approvals_before_merge` is higher than that of the project (spec
 * rest-api). Call it in the transaction that creates the merge request.
 */
export function applyApprovalsBeforeMerge(ctx: Ctx, target: Target): void {
  const { approvals_before_merge: count } = target.request
  if (count === null || !canOverride(settingsOf(ctx.db, target.project.id))) return
  if (count > requiredByProject(ctx, target)) setRequiredCount(ctx, target, Math.min(count, MAX_APPROVALS))
}

/** The name of the rule that `setApprovers` creates. */
const DEFAULT_RULE = 'Default'

/**
 * Sets the approvers of the first regular rule of a merge request (deprecated). Throws 403 unless the actor may change
 * its rules, 400 if none of the users and groups can approve.
 */
export function setApprovers(ctx: Ctx, target: Target, input: ApproversInput): void {
  checkMayOverride(ctx, target)
  const { project, request } = target
  tx(ctx.db, () => {
    copyProjectRules(ctx, target)
    const rules = store.ofRequest(ctx.db, request.id)
    const rule = rules.find((candidate) => candidate.rule_type === 'regular')
    const before = rule ? { rule, removeHidden: false } : undefined
    const user_ids = findUsers(ctx, project, input)
    const group_ids = findGroups(ctx, input, before)
    if (hasApprovers(input) && user_ids.length + group_ids.length === 0)
      throw invalid({ approvers: 'have no access to the project' })
    if (rule) store.update(ctx.db, rule.id, { updated_at: ctx.now }, { user_ids, group_ids })
    else {
      const count = Math.max(1, requiredByProject(ctx, target))
      const row = {
        name: DEFAULT_RULE,
        rule_type: 'regular' as const,
        approvals_required: count,
        source_rule_id: null,
      }
      insertRule(ctx, request, row, { user_ids, group_ids })
    }
    publishNewApprovers(ctx, request)
  })
}
