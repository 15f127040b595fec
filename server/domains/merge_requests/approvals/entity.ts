import { z } from 'zod'

import { entity, time, type Presentation, row } from '../../../http/entity.ts'
import type { Project } from '../../projects/index.ts'
import { UserBasic } from '../../users/entity.ts'
import { ApprovalGroup } from './rules/entity.ts'
import type { Rule } from './rules/rule.ts'
import type { ApprovalsView } from './service.ts'
import type { ApprovalSettings } from './store.ts'

const ruleSummary = z.strictObject({ id: z.int(), name: z.string(), rule_type: z.string() })
const user = z.strictObject({ user: UserBasic.schema })

const summarize = ({ id, name, rule_type }: Rule) => ({ id, name, rule_type })

/** The approvals of a merge request (spec core 5.6). */
export const MergeRequestApprovals = entity(
  'MergeRequestApprovals',
  {
    id: z.int(),
    iid: z.int(),
    project_id: z.int(),
    title: z.string(),
    description: z.string().nullable(),
    state: z.string(),
    created_at: time(),
    updated_at: time(),
    merge_status: z.string(),
    approved: z.boolean(),
    approvals_required: z.int(),
    approvals_left: z.int(),
    require_password_to_approve: z.boolean(),
    approved_by: z.array(user),
    suggested_approvers: z.array(UserBasic.schema),
    approvers: z.array(user),
    approver_groups: z.array(z.strictObject({ group: ApprovalGroup.schema })),
    user_has_approved: z.boolean(),
    user_can_approve: z.boolean(),
    approval_rules_left: z.array(ruleSummary),
    has_approval_rules: z.boolean(),
    merge_request_approvers_available: z.boolean(),
    multiple_approval_rules_available: z.boolean(),
    invalid_approvers_rules: z.array(ruleSummary),
  },
  (view: ApprovalsView, at) => present(view, at),
)

function present(view: ApprovalsView, at: Presentation) {
  const { request, state } = view
  const users = (rows: ApprovalsView['suggested']) => rows.map((row) => UserBasic.present(row, at))
  const nested = (rows: ApprovalsView['suggested']) => users(rows).map((entry) => ({ user: entry }))
  return {
    id: request.id,
    iid: request.iid,
    project_id: request.project_id,
    title: request.title,
    description: request.description,
    state: request.state,
    created_at: request.created_at,
    updated_at: request.updated_at,
    merge_status: request.merge_status === 'preparing' ? 'checking' : request.merge_status,
    approved: state.approved,
    approvals_required: state.approvals_required,
    approvals_left: state.approvals_left,
    require_password_to_approve: view.requiresPassword,
    approved_by: nested(view.approved_by),
    suggested_approvers: users(view.suggested),
    approvers: nested(view.firstRule?.users ?? []),
    approver_groups: (view.firstRule?.groups ?? []).map((group) => ({
      group: ApprovalGroup.present(group, at),
    })),
    user_has_approved: view.hasApproved,
    user_can_approve: view.canApprove,
    approval_rules_left: state.rules.filter((rule) => !rule.approved).map((rule) => summarize(rule.rule)),
    has_approval_rules: state.rules.length > 0,
    // All features are available on this instance.
    merge_request_approvers_available: true,
    multiple_approval_rules_available: true,
    invalid_approvers_rules: state.rules.filter((rule) => rule.invalid).map((rule) => summarize(rule.rule)),
  }
}

/** The approval settings of a project. The project itself has `approvals_before_merge`. */
export interface SettingsView {
  readonly project: Pick<Project, 'approvals_before_merge'>
  readonly settings: ApprovalSettings
}

/** The approval settings of a project (spec administration 12.1). */
export const ProjectApprovalSettings = entity(
  'ProjectApprovalSettings',
  {
    approvals_before_merge: z.int(),
    reset_approvals_on_push: z.boolean(),
    selective_code_owner_removals: z.boolean(),
    disable_overriding_approvers_per_merge_request: z.boolean(),
    merge_requests_author_approval: z.boolean(),
    merge_requests_disable_committers_approval: z.boolean(),
    require_password_to_approve: z.boolean(),
  },
  row((view: SettingsView) => view.settings),
  ({ project }) => ({
    approvals_before_merge: project.approvals_before_merge,
  }),
)
