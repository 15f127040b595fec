import type { Ctx } from '../../../../ctx.ts'
import { UniqueViolation } from '../../../../db/constraints.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { fail } from '../../../../lib/fail.ts'
import type { Project } from '../../../projects/index.ts'
import { ApprovalRuleChanged } from '../../events.ts'
import { REPORT_NAMES, type ReportType, type Rule, type RuleType } from './rule.ts'
import * as store from './store.ts'
import type { RuleLists } from './store.ts'
import {
  findBranches,
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

/** The branches that a rule applies to. */
interface BranchesInput {
  readonly protected_branch_ids?: readonly number[] | undefined
  readonly applies_to_all_protected_branches?: boolean | undefined
}

/** The content of a new project rule. */
export interface NewProjectRule extends RuleInput, ApproversInput, BranchesInput {
  readonly rule_type?: Exclude<RuleType, 'code_owner'> | undefined
  readonly report_type?: ReportType | undefined
}

/** The new content of a project rule. */
export interface ProjectRuleChanges extends RuleInput, ApproversInput, BranchesInput {
  readonly remove_hidden_groups?: boolean | undefined
}

/** Finds a rule of a project. Throws `404 Not found`. */
export function projectRule(ctx: Ctx, project: Project, id: number): Rule {
  return findRule(store.ofProject(ctx.db, project.id), id)
}

/**
 * Creates a rule of a project (spec administration 12.2). Without approvers and type it applies to all members. Throws
 * 400 for a second rule for all members, for a name in use, and for an invalid number of approvals.
 */
export function createProjectRule(ctx: Ctx, project: Project, input: NewProjectRule): Rule {
  checkRule(input)
  const type = typeOf(input)
  if (type.rule_type === 'any_approver')
    checkSingleAnyApprover(store.ofProject(ctx.db, project.id), 'project')
  const row = {
    ...type,
    project_id: project.id,
    approvals_required: input.approvals_required,
    applies_to_all_protected_branches: input.applies_to_all_protected_branches,
    created_at: ctx.now,
    updated_at: ctx.now,
  }
  const lists = { ...approversOf(ctx, project, type.rule_type, input), ...branchesOf(ctx, project, input) }
  return saveRule(ctx, project, 'created', () => store.insert(ctx.db, row, lists))
}

function typeOf(input: NewProjectRule): Pick<Rule, 'name' | 'rule_type' | 'report_type'> {
  const { name } = input
  const reportTypeOfName = Object.entries(REPORT_NAMES).find(([, title]) => title === name)?.[0] as
    | ReportType
    | undefined
  const rule_type =
    input.rule_type ??
    (reportTypeOfName ? 'report_approver' : hasApprovers(input) ? 'regular' : 'any_approver')
  if (rule_type !== 'report_approver') return { name, rule_type, report_type: null }
  const report_type = input.report_type ?? reportTypeOfName
  if (!report_type) throw fail('parameter', 'report_type is missing')
  return { name: REPORT_NAMES[report_type], rule_type, report_type }
}

/** Returns the approvers of a new rule. A rule for all members has none. */
function approversOf(ctx: Ctx, project: Project, type: RuleType, input: ApproversInput): RuleLists {
  if (type === 'any_approver') return {}
  return { user_ids: findUsers(ctx, project, input), group_ids: findGroups(ctx, input) }
}

/** Returns the protected branches of a rule. Ignores them when the rule applies to all branches. */
function branchesOf(ctx: Ctx, project: Project, input: BranchesInput): RuleLists {
  if (input.applies_to_all_protected_branches || !input.protected_branch_ids) return {}
  return { branch_ids: findBranches(ctx, project, input.protected_branch_ids) }
}

/**
 * Updates a rule of a project. Replaces the approvers; groups that the actor may not see stay unless
 * `remove_hidden_groups` is set. Keeps the branches unless new ones are given. Throws 400 as `createProjectRule` does.
 */
export function changeProjectRule(ctx: Ctx, project: Project, rule: Rule, input: ProjectRuleChanges): Rule {
  checkRule(input)
  const { name, approvals_required, applies_to_all_protected_branches: applies } = input
  const changes = {
    approvals_required,
    ...(rule.rule_type === 'report_approver' ? {} : { name }),
    ...(applies === undefined ? {} : { applies_to_all_protected_branches: applies }),
    updated_at: ctx.now,
  }
  const before = { rule, removeHidden: input.remove_hidden_groups ?? false }
  const people = {
    user_ids: findUsers(ctx, project, input),
    group_ids: findGroups(ctx, input, before),
  }
  const lists = { ...(rule.rule_type === 'any_approver' ? {} : people), ...branchesOf(ctx, project, input) }
  return saveRule(ctx, project, 'updated', () => {
    store.update(ctx.db, rule.id, changes, lists)
    return rule.id
  })
}

function saveRule(ctx: Ctx, project: Project, action: 'created' | 'updated', write: () => number): Rule {
  try {
    return tx(ctx.db, () => {
      const rule = projectRule(ctx, project, write())
      publishChange(ctx, project, rule, action)
      return rule
    })
  } catch (error) {
    throw error instanceof UniqueViolation ? nameTaken() : error
  }
}

/** Deletes a rule of a project. Merge requests keep their copies. */
export function deleteProjectRule(ctx: Ctx, project: Project, rule: Rule): void {
  tx(ctx.db, () => {
    // The event is published before the deletion, because the audit log reads the name of the rule.
    publishChange(ctx, project, rule, 'deleted')
    store.remove(ctx.db, rule.id)
  })
}

function publishChange(
  ctx: Ctx,
  project: Project,
  rule: Rule,
  action: 'created' | 'updated' | 'deleted',
): void {
  const ids = { project_id: project.id, approval_rule_id: rule.id, actor_id: ctx.actor.id }
  publish(ctx, ApprovalRuleChanged, { ...ids, action })
}
