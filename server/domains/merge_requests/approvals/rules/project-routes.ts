import { endpoint } from '../../../../http/endpoint.ts'
import { bool, choice, int, list, text } from '../../../../http/params.ts'
import { created, noContent, ok, page } from '../../../../http/returns.ts'
import { project } from '../../../projects/index.ts'
import { abilities } from '../../policy.ts'
import { ProjectApprovalRule } from './entity.ts'
import { ruleIdParam, ruleParams } from './request-routes.ts'
import { changeProjectRule, createProjectRule, deleteProjectRule, projectRule } from './project-service.ts'
import * as store from './store.ts'
import { projectRuleViews } from './views.ts'

const NO_RULE = 'The approval rule does not exist'

const branchParams = {
  protected_branch_ids: list(int({ min: 1 }))
    .optional()
    .describe('The IDs of protected branches that the rule applies to. Default: all branches'),
  applies_to_all_protected_branches: bool()
    .optional()
    .describe('Apply the rule to all protected branches. Overrides `protected_branch_ids`'),
}

/** The order of rule types in lists; rules of one type are ordered by age. */
const TYPE_ORDER = ['any_approver', 'regular', 'report_approver', 'code_owner']

export const listProjectApprovalRules = endpoint('GET /projects/:id/approval_rules', {
  summary: 'List the approval rules of a project',
  scope: project,
  can: abilities.read_approvals,
  returns: page(ProjectApprovalRule),
  run: (ctx) => {
    const rules = store
      .ofProject(ctx.db, ctx.project.id)
      .toSorted((a, b) => TYPE_ORDER.indexOf(a.rule_type) - TYPE_ORDER.indexOf(b.rule_type))
    const { offset, limit } = ctx.paging
    return {
      rows: projectRuleViews(ctx, ctx.project, rules.slice(offset, offset + limit)),
      total: rules.length,
    }
  },
})

export const getProjectApprovalRule = endpoint('GET /projects/:id/approval_rules/:approval_rule_id', {
  summary: 'Get a single approval rule of a project',
  scope: project,
  can: abilities.read_approvals,
  params: ruleIdParam,
  fails: { 404: NO_RULE },
  returns: ok(ProjectApprovalRule),
  run: (ctx) => {
    const rule = projectRule(ctx, ctx.project, ctx.params.approval_rule_id)
    return projectRuleViews(ctx, ctx.project, [rule])[0]!
  },
})

export const postProjectApprovalRule = endpoint('POST /projects/:id/approval_rules', {
  summary: 'Create an approval rule of a project',
  scope: project,
  can: abilities.manage_approvals,
  params: {
    name: text({ notEmpty: true }).describe('The name of the approval rule'),
    approvals_required: int().describe('The number of required approvals'),
    ...ruleParams,
    ...branchParams,
    rule_type: choice('regular', 'any_approver', 'report_approver')
      .optional()
      .describe(
        'The rule type. `any_approver` counts the approval of any user, and is the default if no approvers are given',
      ),
    report_type: choice('license_scanning', 'code_coverage')
      .optional()
      .describe('The report that a rule of the type `report_approver` watches'),
  },
  fails: {
    400: 'The name is taken, there is a rule for all members already, or the number of approvals is out of range',
  },
  returns: created(ProjectApprovalRule),
  run: (ctx) => {
    const rule = createProjectRule(ctx, ctx.project, ctx.params)
    return projectRuleViews(ctx, ctx.project, [rule])[0]!
  },
})

export const putProjectApprovalRule = endpoint('PUT /projects/:id/approval_rules/:approval_rule_id', {
  summary: 'Update an approval rule of a project',
  scope: project,
  can: abilities.manage_approvals,
  params: {
    ...ruleIdParam,
    name: text({ notEmpty: true }).describe('The name of the approval rule'),
    approvals_required: int().describe('The number of required approvals'),
    ...ruleParams,
    ...branchParams,
    remove_hidden_groups: bool().optional().describe('Remove hidden groups from the rule'),
  },
  fails: { 400: 'The name is taken, or the number of approvals is out of range', 404: NO_RULE },
  returns: ok(ProjectApprovalRule),
  run: (ctx) => {
    const rule = projectRule(ctx, ctx.project, ctx.params.approval_rule_id)
    const changed = changeProjectRule(ctx, ctx.project, rule, ctx.params)
    return projectRuleViews(ctx, ctx.project, [changed])[0]!
  },
})

export const deleteProjectApprovalRule = endpoint('DELETE /projects/:id/approval_rules/:approval_rule_id', {
  summary: 'Delete an approval rule of a project',
  scope: project,
  can: abilities.manage_approvals,
  params: ruleIdParam,
  fails: { 404: NO_RULE },
  returns: noContent,
  run: (ctx) => {
    const rule = projectRule(ctx, ctx.project, ctx.params.approval_rule_id)
    ctx.http.unmodifiedSince(rule.updated_at)
    deleteProjectRule(ctx, ctx.project, rule)
  },
})
