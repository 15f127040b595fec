import { z } from 'zod'

import { entity, type Presentation, row } from '../../../../http/entity.ts'
import type { Group } from '../../../groups/index.ts'
import { groupAvatarUrl, namespaceUrl } from '../../../namespaces/entity.ts'
import { ProtectedBranch } from '../../../repository/protected_refs/entity.ts'
import { UserBasic } from '../../../users/entity.ts'
import type { ProjectRuleView, RequestRuleView, RuleStateView } from './views.ts'

/** A group of approvers (spec administration 0.2). */
export const ApprovalGroup = entity(
  'ApprovalGroup',
  {
    id: z.int(),
    name: z.string(),
    path: z.string(),
    description: z.string(),
    visibility: z.string(),
    lfs_enabled: z.boolean(),
    avatar_url: z.string().nullable(),
    web_url: z.string(),
    request_access_enabled: z.boolean(),
    full_name: z.string(),
    full_path: z.string(),
    parent_id: z.int().nullable(),
    ldap_cn: z.string().nullable(),
    ldap_access: z.int().nullable(),
  },
  row<Group>(),
  (group, at) => ({
    avatar_url: groupAvatarUrl(group, at),
    web_url: namespaceUrl(group, at),
    ldap_cn: null,
    ldap_access: null,
  }),
)

const type = z.enum(['regular', 'any_approver', 'report_approver', 'code_owner'])

const ruleFields = {
  id: z.int(),
  name: z.string(),
  rule_type: type,
  /** Set only for rules that watch reports. */
  report_type: z.enum(['license_scanning', 'code_coverage']).optional(),
  eligible_approvers: z.array(UserBasic.schema),
  approvals_required: z.int(),
  users: z.array(UserBasic.schema),
  groups: z.array(ApprovalGroup.schema),
  contains_hidden_groups: z.boolean(),
}

function presentRule(view: ProjectRuleView | RequestRuleView, at: Presentation) {
  const { rule } = view
  return {
    id: rule.id,
    name: rule.name,
    rule_type: rule.rule_type,
    ...(rule.report_type === null ? {} : { report_type: rule.report_type }),
    eligible_approvers: view.eligible.map((user) => UserBasic.present(user, at)),
    approvals_required: view.approvals_required,
    users: view.users.map((user) => UserBasic.present(user, at)),
    groups: view.groups.map((group) => ApprovalGroup.present(group, at)),
    contains_hidden_groups: view.hasHiddenGroups,
  }
}

/** An approval rule of a project. */
export const ProjectApprovalRule = entity(
  'ProjectApprovalRule',
  {
    ...ruleFields,
    protected_branches: z.array(ProtectedBranch.schema),
    applies_to_all_protected_branches: z.boolean(),
  },
  (view: ProjectRuleView, at) => ({
    ...presentRule(view, at),
    protected_branches: view.branches.map((branch) => ProtectedBranch.present(branch, at)),
    applies_to_all_protected_branches: view.rule.applies_to_all_protected_branches,
  }),
)

const requestFields = {
  ...ruleFields,
  section: z.string().nullable(),
  source_rule: z.strictObject({ approvals_required: z.int() }).nullable(),
  overridden: z.boolean(),
}

function presentRequestRule(view: RequestRuleView, at: Presentation) {
  const { source, rule } = view
  return {
    ...presentRule(view, at),
    section: rule.section,
    source_rule: source ? { approvals_required: source.approvals_required } : null,
    overridden: view.overridden,
  }
}

/** An approval rule of a merge request (spec core 5.6). */
export const MergeRequestApprovalRule = entity(
  'MergeRequestApprovalRule',
  requestFields,
  (view: RequestRuleView, at) => presentRequestRule(view, at),
)

const stateFields = {
  ...requestFields,
  code_owner: z.boolean(),
  approved_by: z.array(UserBasic.schema),
  approved: z.boolean(),
}

/** An approval rule with the users who approved. */
const RuleState = entity('ApprovalRuleState', stateFields, (view: RuleStateView, at) => ({
  ...presentRequestRule(view, at),
  code_owner: view.rule.rule_type === 'code_owner',
  approved_by: view.approved_by.map((user) => UserBasic.present(user, at)),
  approved: view.approved,
}))

/** The states of all approval rules of a merge request. */
export const MergeRequestApprovalState = entity(
  'MergeRequestApprovalState',
  { approval_rules_overwritten: z.boolean(), rules: z.array(RuleState.schema) },
  (view: { overwritten: boolean; rules: readonly RuleStateView[] }, at) => ({
    approval_rules_overwritten: view.overwritten,
    rules: view.rules.map((rule) => RuleState.present(rule, at)),
  }),
)
