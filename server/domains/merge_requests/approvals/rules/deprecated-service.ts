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
import { checkRule, findGroups, hasApprovers, usersNamed, type NamesInput } from './validation.ts'

/**
 * Sets how many approvals by any users a merge request requires, in addition to its other rules (deprecated). Throws
 * 400 for fewer than the project requires, 422 when merge requests may not override rules.
 */
export function requireApprovals(ctx: Ctx, target: Target, approvals_required: number): void {
  checkMayChange(ctx, target)
  if (!canOverride(settingsOf(ctx.db, target.project.id))) {
    const error = 'Overriding approvals is disabled'
    throw new Failure('unprocessable', error, { body: { error } })
  }
  const least = countOfProject(ctx, target)
  checkRule({ name: ALL_MEMBERS, approvals_required }, least)
  tx(ctx.db, () => {
    setCount(ctx, target, approvals_required)
    publishNewApprovers(ctx, target.request)
  })
}

function countOfProject(ctx: Ctx, { request, project }: Target): number {
  const rules = projectRulesFor(ctx, project, request.target_branch)
  return rules.find((rule) => rule.rule_type === 'any_approver')?.approvals_required ?? 0
}

function setCount(ctx: Ctx, target: Target, approvals_required: number): void {
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
 * Adds a rule to a new merge request that requires more approvals than its project (spec rest-api,
 * `approvals_before_merge`). Call it in the transaction that creates it.
 */
export function requireMore(ctx: Ctx, target: Target): void {
  const { approvals_before_merge: wanted } = target.request
  if (wanted === null || !canOverride(settingsOf(ctx.db, target.project.id))) return
  if (wanted > countOfProject(ctx, target)) setCount(ctx, target, Math.min(wanted, MAX_APPROVALS))
}

/** Name of the rule that `setApprovers` creates. */
const DEFAULT_RULE = 'Default'

/**
 * Sets the approvers of a merge request (deprecated): those of its first regular rule. Throws 403 unless the actor may
 * change its rules, 400 when no given user or group can approve.
 */
export function setApprovers(ctx: Ctx, target: Target, input: NamesInput): void {
  checkMayOverride(ctx, target)
  const { project, request } = target
  tx(ctx.db, () => {
    copyProjectRules(ctx, target)
    const rules = store.ofRequest(ctx.db, request.id)
    const rule = rules.find((candidate) => candidate.rule_type === 'regular')
    const before = rule ? { rule, removeHidden: false } : undefined
    const user_ids = usersNamed(ctx, project, input)
    const group_ids = findGroups(ctx, input, before)
    if (hasApprovers(input) && user_ids.length + group_ids.length === 0)
      throw invalid({ approvers: 'have no access to the project' })
    if (rule) store.update(ctx.db, rule.id, { updated_at: ctx.now }, { user_ids, group_ids })
    else {
      const count = Math.max(1, countOfProject(ctx, target))
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
