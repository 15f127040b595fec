import type { Ctx } from '../../../../ctx.ts'
import { endpoint } from '../../../../http/endpoint.ts'
import { bool, int, text } from '../../../../http/params.ts'
import { created, noContent, ok, page } from '../../../../http/returns.ts'
import { project, type Project } from '../../../projects/index.ts'
import { iidParam } from '../../params.ts'
import { findMergeRequest } from '../../service.ts'
import { abilities } from '../policy.ts'
import { refreshApprovals } from '../refresh.ts'
import { approvalState, statesOf } from '../state.ts'
import { MergeRequestApprovalRule, MergeRequestApprovalState } from './entity.ts'
import { ruleIdParam, ruleParams } from './params.ts'
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

const NO_RULE = 'There is no such merge request or rule'
const NOT_THEIRS = 'The merge request, or a rule of this kind, is not the caller’s to change'
const WRONG = 'A name that is taken, or a count out of bounds'

function targetOf(ctx: Ctx & { project: Project; params: { merge_request_iid: number } }): Target {
  return { request: findMergeRequest(ctx, ctx.project, ctx.params.merge_request_iid), project: ctx.project }
}

const viewsOf = (ctx: Ctx, { request, project: owner }: Target, rules: readonly Rule[]) =>
  requestRuleViews(ctx, owner, statesOf(ctx, request, owner, rules))

const viewOf = (ctx: Ctx, target: Target, rule: Rule) => viewsOf(ctx, target, [rule])[0]!

export const getApprovalState = endpoint(
  'GET /projects/:id/merge_requests/:merge_request_iid/approval_state',
  {
    summary: 'Get how the approval rules of a merge request stand',
    scope: project,
    can: abilities.read_approvals,
    params: iidParam,
    fails: { 404: 'There is no such merge request' },
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
    fails: { 404: 'There is no such merge request' },
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
    summary: 'Get an approval rule of a merge request',
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
    summary: 'Give a merge request an approval rule of its own',
    scope: project,
    can: abilities.change_approval_rules,
    params: {
      ...iidParam,
      name: text({ notEmpty: true }).describe('Name of the rule'),
      approvals_required: int().describe('Approvals that it asks for'),
      approval_project_rule_id: int({ min: 1 })
        .optional()
        .describe('Rule of the project to take the name, users and groups from'),
      ...ruleParams,
    },
    fails: { 400: WRONG, 403: NOT_THEIRS, 404: NO_RULE },
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
    summary: 'Change an approval rule of a merge request',
    scope: project,
    can: abilities.change_approval_rules,
    params: {
      ...iidParam,
      ...ruleIdParam,
      name: text({ notEmpty: true }).optional().describe('Name of the rule'),
      approvals_required: int().optional().describe('Approvals that it asks for'),
      ...ruleParams,
      remove_hidden_groups: bool().optional().describe('Remove groups that the caller may not see'),
    },
    fails: { 400: WRONG, 403: NOT_THEIRS, 404: NO_RULE },
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
    summary: 'Take an approval rule of its own from a merge request',
    scope: project,
    can: abilities.change_approval_rules,
    params: { ...iidParam, ...ruleIdParam },
    fails: { 403: NOT_THEIRS, 404: NO_RULE },
    returns: noContent,
    run: (ctx) => {
      const target = targetOf(ctx)
      const rule = findRule(requestRules(ctx, target), ctx.params.approval_rule_id)
      ctx.http.unmodifiedSince(rule.updated_at)
      deleteRequestRule(ctx, target, rule.id)
    },
  },
)
