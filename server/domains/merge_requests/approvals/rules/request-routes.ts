import type { Ctx } from '../../../../ctx.ts'
import { endpoint } from '../../../../http/endpoint.ts'
import { bool, int, text, list } from '../../../../http/params.ts'
import { created, noContent, ok, page } from '../../../../http/returns.ts'
import { project, type Project } from '../../../projects/index.ts'
import { iidParam } from '../../params.ts'
import { findMergeRequest } from '../../service.ts'
import { abilities } from '../../policy.ts'
import { refreshApprovals } from '../refresh.ts'
import { approvalState, ruleStatesOf } from '../state.ts'
import { MergeRequestApprovalRule, MergeRequestApprovalState } from './entity.ts'
import {
  changeRequestRule,
  createRequestRule,
  deleteRequestRule,
  requestRules,
  type Target,
} from './request-service.ts'
import type { Rule } from './rule.ts'
import { findRule } from './validation.ts'
import { requestRuleViews, stateViews } from './views.ts'

/** The path parameter that names a rule. */
export const ruleIdParam = { approval_rule_id: int({ min: 1 }).describe('The ID of an approval rule') }

/** The approvers of a rule. */
export const ruleParams = {
  user_ids: list(int({ min: 1 }))
    .optional()
    .describe('The IDs of approvers. Users without access to the project are ignored'),
  usernames: list(text({ max: 255 }))
    .optional()
    .describe('The usernames of approvers, in addition to `user_ids`'),
  group_ids: list(int({ min: 1 }))
    .optional()
    .describe(
      'The IDs of groups. Their direct members are approvers. Groups that the caller may not see are ignored',
    ),
}

const NO_RULE = 'The merge request or approval rule does not exist'
const NOT_ALLOWED = 'The caller may not update the merge request, or rules of this type'
const INVALID = 'The name is taken, or the number of approvals is out of range'

function targetOf(ctx: Ctx & { project: Project; params: { merge_request_iid: number } }): Target {
  return { request: findMergeRequest(ctx, ctx.project, ctx.params.merge_request_iid), project: ctx.project }
}

const viewsOf = (ctx: Ctx, { request, project: owner }: Target, rules: readonly Rule[]) =>
  requestRuleViews(ctx, owner, ruleStatesOf(ctx, request, owner, rules))

const viewOf = (ctx: Ctx, target: Target, rule: Rule) => viewsOf(ctx, target, [rule])[0]!

export const getApprovalState = endpoint(
  'GET /projects/:id/merge_requests/:merge_request_iid/approval_state',
  {
    summary: 'Get the approval state of a merge request',
    scope: project,
    can: abilities.read_approvals,
    params: iidParam,
    fails: { 404: 'The merge request does not exist' },
    returns: ok(MergeRequestApprovalState),
    run: async (ctx) => {
      const { request } = targetOf(ctx)
      await refreshApprovals(ctx, request, ctx.project)
      const { rules, overwritten } = approvalState(ctx, request, ctx.project)
      return { overwritten, rules: stateViews(ctx, ctx.project, rules) }
    },
  },
)

export const listRequestApprovalRules = endpoint(
  'GET /projects/:id/merge_requests/:merge_request_iid/approval_rules',
  {
    summary: 'List the approval rules of a merge request',
    scope: project,
    can: abilities.read_approvals,
    params: iidParam,
    fails: { 404: 'The merge request does not exist' },
    returns: page(MergeRequestApprovalRule),
    run: async (ctx) => {
      const target = targetOf(ctx)
      await refreshApprovals(ctx, target.request, ctx.project)
      const rules = requestRules(ctx, target)
      const { offset, limit } = ctx.paging
      return { rows: viewsOf(ctx, target, rules.slice(offset, offset + limit)), total: rules.length }
    },
  },
)

export const getRequestApprovalRule = endpoint(
  'GET /projects/:id/merge_requests/:merge_request_iid/approval_rules/:approval_rule_id',
  {
    summary: 'Get a single approval rule of a merge request',
    scope: project,
    can: abilities.read_approvals,
    params: { ...iidParam, ...ruleIdParam },
    fails: { 404: NO_RULE },
    returns: ok(MergeRequestApprovalRule),
    run: (ctx) => {
      const target = targetOf(ctx)
      return viewOf(ctx, target, findRule(requestRules(ctx, target), ctx.params.approval_rule_id))
    },
  },
)

export const postRequestApprovalRule = endpoint(
  'POST /projects/:id/merge_requests/:merge_request_iid/approval_rules',
  {
    summary: 'Create an approval rule of a merge request',
    scope: project,
    can: abilities.change_approval_rules,
    params: {
      ...iidParam,
      name: text({ notEmpty: true }).describe('The name of the approval rule'),
      approvals_required: int().describe('The number of required approvals'),
      approval_project_rule_id: int({ min: 1 })
        .optional()
        .describe('The ID of a project rule to copy the name, users and groups from'),
      ...ruleParams,
    },
    fails: { 400: INVALID, 403: NOT_ALLOWED, 404: NO_RULE },
    returns: created(MergeRequestApprovalRule),
    run: (ctx) => {
      const target = targetOf(ctx)
      return viewOf(ctx, target, createRequestRule(ctx, target, ctx.params))
    },
  },
)

export const putRequestApprovalRule = endpoint(
  'PUT /projects/:id/merge_requests/:merge_request_iid/approval_rules/:approval_rule_id',
  {
    summary: 'Update an approval rule of a merge request',
    scope: project,
    can: abilities.change_approval_rules,
    params: {
      ...iidParam,
      ...ruleIdParam,
      name: text({ notEmpty: true }).optional().describe('The name of the approval rule'),
      approvals_required: int().optional().describe('The number of required approvals'),
      ...ruleParams,
      remove_hidden_groups: bool().optional().describe('Remove hidden groups from the rule'),
    },
    fails: { 400: INVALID, 403: NOT_ALLOWED, 404: NO_RULE },
    returns: ok(MergeRequestApprovalRule),
    run: (ctx) => {
      const target = targetOf(ctx)
      const rule = changeRequestRule(ctx, target, ctx.params.approval_rule_id, ctx.params)
      return viewOf(ctx, target, rule)
    },
  },
)

export const deleteRequestApprovalRule = endpoint(
  'DELETE /projects/:id/merge_requests/:merge_request_iid/approval_rules/:approval_rule_id',
  {
    summary: 'Delete an approval rule of a merge request',
    scope: project,
    can: abilities.change_approval_rules,
    params: { ...iidParam, ...ruleIdParam },
    fails: { 403: NOT_ALLOWED, 404: NO_RULE },
    returns: noContent,
    run: (ctx) => {
      const target = targetOf(ctx)
      const rule = findRule(requestRules(ctx, target), ctx.params.approval_rule_id)
      ctx.http.unmodifiedSince(rule.updated_at)
      deleteRequestRule(ctx, target, rule.id)
    },
  },
)
