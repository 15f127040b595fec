import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { bool, int, list, text } from '../../../http/params.ts'
import { created, ok, type RawAnswer, type Returns } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { iidParam } from '../params.ts'
import { findMergeRequest } from '../service.ts'
import { MergeRequestApprovals, ProjectApprovalSettings } from './entity.ts'
import { abilities } from '../policy.ts'
import { resetApprovals } from './reset.ts'
import { requireApprovals, setApprovers } from './rules/deprecated-service.ts'
import { MAX_APPROVALS } from './rules/rule.ts'
import { approvalsView, approve, unapprove, changeSettings, settingsView } from './service.ts'

const NO_REQUEST = 'The merge request does not exist'
const approvalsRequiredParam = { approvals_required: int().describe('The number of required approvals') }

export const getApprovals = endpoint('GET /projects/:id/merge_requests/:merge_request_iid/approvals', {
  summary: 'Get merge request approvals',
  scope: project,
  can: abilities.read_approvals,
  params: iidParam,
  fails: { 404: NO_REQUEST },
  returns: ok(MergeRequestApprovals),
  run: (ctx) => {
    const request = findMergeRequest(ctx, ctx.project, ctx.params.merge_request_iid)
    return approvalsView(ctx, request, ctx.project)
  },
})

export const postApprovals = endpoint('POST /projects/:id/merge_requests/:merge_request_iid/approvals', {
  summary: 'Update the approval configuration of a merge request (deprecated)',
  scope: project,
  can: abilities.change_approval_rules,
  params: { ...iidParam, ...approvalsRequiredParam },
  fails: {
    400: 'Fewer approvals than the project requires, or too many',
    403: 'The caller may not update the merge request',
    404: NO_REQUEST,
    422: 'Overriding approvals is disabled',
  },
  returns: created(MergeRequestApprovals),
  run: (ctx) => {
    const request = findMergeRequest(ctx, ctx.project, ctx.params.merge_request_iid)
    requireApprovals(ctx, { request, project: ctx.project }, ctx.params.approvals_required)
    return approvalsView(ctx, request, ctx.project)
  },
})

const ids = (description: string) =>
  list(int({ min: 0 }))
    .optional()
    .describe(description)

export const putApprovers = endpoint('PUT /projects/:id/merge_requests/:merge_request_iid/approvers', {
  summary: 'Update the allowed approvers of a merge request (deprecated)',
  scope: project,
  can: abilities.change_approval_rules,
  params: {
    ...iidParam,
    approver_ids: ids('The IDs of the approvers'),
    approver_group_ids: ids('The IDs of groups with approvers'),
  },
  fails: {
    400: 'None of the given users and groups can approve',
    403: 'The approval rules of the merge request cannot be changed',
    404: NO_REQUEST,
  },
  returns: ok(MergeRequestApprovals),
  run: (ctx) => {
    const { approver_ids, approver_group_ids } = ctx.params
    const request = findMergeRequest(ctx, ctx.project, ctx.params.merge_request_iid)
    const input = { user_ids: approver_ids, group_ids: approver_group_ids }
    setApprovers(ctx, { request, project: ctx.project }, input)
    return approvalsView(ctx, request, ctx.project)
  },
})

export const postApprove = endpoint('POST /projects/:id/merge_requests/:merge_request_iid/approve', {
  summary: 'Approve a merge request',
  scope: project,
  can: abilities.approve_merge_request,
  params: {
    ...iidParam,
    sha: text({ max: 64 }).optional().describe('The SHA of the head that was reviewed'),
    approval_password: text({ max: 1024 })
      .optional()
      .describe('The password of the caller, if the project requires it'),
  },
  fails: {
    401: 'The caller may not approve, has approved already, or the password is wrong',
    404: NO_REQUEST,
    409: 'SHA does not match HEAD of source branch',
    429: 'Too many wrong passwords',
  },
  returns: created(MergeRequestApprovals),
  run: async (ctx) => {
    const { merge_request_iid, sha, approval_password } = ctx.params
    const request = findMergeRequest(ctx, ctx.project, merge_request_iid)
    const approved = await approve(ctx, request, ctx.project, { sha, approval_password, ip: ctx.http.ip })
    return approvalsView(ctx, approved, ctx.project)
  },
})

export const postUnapprove = endpoint('POST /projects/:id/merge_requests/:merge_request_iid/unapprove', {
  summary: 'Unapprove a merge request',
  scope: project,
  can: abilities.approve_merge_request,
  params: iidParam,
  fails: { 404: 'The merge request does not exist, or the caller has not approved it' },
  returns: created(MergeRequestApprovals),
  run: (ctx) => {
    const request = findMergeRequest(ctx, ctx.project, ctx.params.merge_request_iid)
    unapprove(ctx, request)
    return approvalsView(ctx, request, ctx.project)
  },
})

/** The body is the status as a JSON number (spec core 5.6). */
const acceptedStatus: Returns<RawAnswer> = { kind: 'raw', status: 202 }

export const putResetApprovals = endpoint(
  'PUT /projects/:id/merge_requests/:merge_request_iid/reset_approvals',
  {
    summary: 'Reset the approvals of a merge request',
    scope: project,
    can: abilities.approve_merge_request,
    params: iidParam,
    fails: {
      401: 'The caller is not the bot of a project or group token, or the merge request is merged',
      404: NO_REQUEST,
    },
    returns: acceptedStatus,
    run: (ctx) => {
      const request = findMergeRequest(ctx, ctx.project, ctx.params.merge_request_iid)
      resetApprovals(ctx, request, ctx.project)
      return { type: 'application/json', body: '202' }
    },
  },
)

export const getApprovalSettings = endpoint('GET /projects/:id/approvals', {
  summary: 'Get the approval settings of a project',
  scope: project,
  can: abilities.read_approvals,
  returns: ok(ProjectApprovalSettings),
  run: (ctx) => settingsView(ctx, ctx.project),
})

const params = {
  approvals_before_merge: int({ min: 0, max: MAX_APPROVALS })
    .optional()
    .describe('The number of approvals that every merge request requires'),
  disable_overriding_approvers_per_merge_request: bool()
    .optional()
    .describe('Prevent overriding approvers per merge request'),
  merge_requests_author_approval: bool()
    .optional()
    .describe('Allow authors to approve their own merge requests'),
  merge_requests_disable_committers_approval: bool().optional().describe('Prevent committers from approving'),
  require_password_to_approve: bool().optional().describe('Require the password of the user to approve'),
  reset_approvals_on_push: bool().optional().describe('Remove all approvals when commits are added'),
  selective_code_owner_removals: bool()
    .optional()
    .describe(
      'Remove only the approvals of code owners with changed files. Requires `reset_approvals_on_push` to be off',
    ),
}

export const postApprovalSettings = endpoint('POST /projects/:id/approvals', {
  summary: 'Update the approval settings of a project',
  scope: project,
  can: abilities.manage_approvals,
  params,
  parameterRules: [atLeastOne(...Object.keys(params))],
  fails: { 400: 'The settings contradict each other' },
  returns: created(ProjectApprovalSettings),
  run: (ctx) => changeSettings(ctx, ctx.project, ctx.params),
})
