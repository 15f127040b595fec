import { atLeastOne, endpoint } from '../../../../http/endpoint.ts'
import { bool, int } from '../../../../http/params.ts'
import { created, ok } from '../../../../http/returns.ts'
import { project } from '../../../projects/index.ts'
import { abilities } from '../policy.ts'
import { MAX_APPROVALS } from '../rules/rule.ts'
import { ProjectApprovalSettings } from './entity.ts'
import { changeSettings, settingsView } from './service.ts'

export const getApprovalSettings = endpoint('GET /projects/:id/approvals', {
  summary: 'Get how approvals work in a project',
  scope: project,
  can: abilities.read_approvals,
  returns: ok(ProjectApprovalSettings),
  run: (ctx) => settingsView(ctx, ctx.project),
})

const params = {
  approvals_before_merge: int({ min: 0, max: MAX_APPROVALS })
    .optional()
    .describe('Approvals that every merge request needs; the rule for all members'),
  disable_overriding_approvers_per_merge_request: bool()
    .optional()
    .describe('Keep merge requests from having rules of their own'),
  merge_requests_author_approval: bool().optional().describe('Let authors approve'),
  merge_requests_disable_committers_approval: bool()
    .optional()
    .describe('Keep those who wrote the commits from approving'),
  require_password_to_approve: bool().optional().describe('Ask for the password with each approval'),
  reset_approvals_on_push: bool().optional().describe('Drop all approvals when commits are added'),
  selective_code_owner_removals: bool()
    .optional()
    .describe('Drop only those of owners of changed files; needs reset_approvals_on_push to be off'),
}

export const postApprovalSettings = endpoint('POST /projects/:id/approvals', {
  summary: 'Change how approvals work in a project',
  scope: project,
  can: abilities.manage_approvals,
  params,
  together: [atLeastOne(...Object.keys(params))],
  fails: { 400: 'Settings that contradict each other' },
  returns: created(ProjectApprovalSettings),
  run: (ctx) => changeSettings(ctx, ctx.project, ctx.params),
})
