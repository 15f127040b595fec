import { z } from 'zod'

import { entity } from '../../../../http/entity.ts'
import type { Project } from '../../../projects/index.ts'
import type { ApprovalSettings } from './store.ts'

/** A project's settings, and the project for the count that its rule for all members has. */
export interface SettingsView {
  readonly project: Pick<Project, 'approvals_before_merge'>
  readonly settings: ApprovalSettings
}

/** How approvals work in a project (spec administration 12.1). */
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
  ({ project, settings }: SettingsView) => ({
    approvals_before_merge: project.approvals_before_merge,
    reset_approvals_on_push: settings.reset_approvals_on_push,
    selective_code_owner_removals: settings.selective_code_owner_removals,
    disable_overriding_approvers_per_merge_request: settings.disable_overriding_approvers_per_merge_request,
    merge_requests_author_approval: settings.merge_requests_author_approval,
    merge_requests_disable_committers_approval: settings.merge_requests_disable_committers_approval,
    require_password_to_approve: settings.require_password_to_approve,
  }),
)
