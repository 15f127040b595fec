import type { Filter } from '../../components/filter/filters.ts'

/** The most common filters of an audit log. The details of a row link to events of the same kind. */
const KINDS: Readonly<Record<'everywhere' | 'instance' | 'group' | 'project', readonly [string, string][]>> =
  {
    everywhere: [
      ['member_created', 'Members added'],
      ['member_updated', 'Roles changed'],
      ['member_destroyed', 'Members removed'],
      ['access_token_created', 'Access tokens made'],
      ['deploy_token_created', 'Deploy tokens made'],
      ['ci_variable_created', 'Variables made'],
      ['ci_variable_updated', 'Variables changed'],
      ['web_hook_created', 'Webhooks made'],
    ],
    instance: [
      ['user_signed_in', 'Signed in'],
      ['user_sign_in_failed', 'Wrong passwords'],
      ['user_created', 'Accounts made'],
      ['user_destroyed', 'Accounts deleted'],
      ['user_state_changed', 'Accounts blocked or let in'],
      ['user_password_updated', 'Passwords changed'],
      ['personal_access_token_created', 'Personal tokens made'],
      ['ssh_key_added', 'SSH keys added'],
      ['group_created', 'Groups made'],
      ['group_destroyed', 'Groups deleted'],
      ['project_created', 'Projects made'],
      ['project_destroyed', 'Projects deleted'],
      ['application_setting_updated', 'Several settings changed'],
    ],
    group: [
      ['group_visibility_updated', 'Visibility changed'],
      ['group_share_created', 'Groups invited'],
      ['scim_identity_provisioned', 'Brought by the identity provider'],
    ],
    project: [
      ['project_visibility_updated', 'Visibility changed'],
      ['project_archived', 'Archived'],
      ['protected_branch_protected', 'Branches protected'],
      ['protected_branch_unprotected', 'Branches unprotected'],
      ['approval_rule_updated', 'Approval rules changed'],
      ['deploy_key_added', 'Deploy keys added'],
      ['feature_flag_updated', 'Feature flags changed'],
      ['release_created', 'Releases published'],
    ],
  }

const PERIODS = [
  { value: '1', label: 'The last day' },
  { value: '7', label: 'The last 7 days' },
  { value: '30', label: 'The last 30 days' },
  { value: '90', label: 'The last 90 days' },
]

/** The filters of a log. */
export const filtersOf = (kind: 'instance' | 'group' | 'project'): Filter[] => [
  { key: 'author_username', label: 'By', kind: 'people' },
  {
    key: 'event_name',
    label: 'What',
    kind: 'choice',
    options: [...KINDS[kind], ...KINDS.everywhere].map(([value, label]) => ({ value, label })),
  },
  { key: 'days', label: 'When', kind: 'choice', options: PERIODS },
  ...(kind === 'instance'
    ? [
        {
          key: 'entity_type',
          label: 'About',
          kind: 'choice' as const,
          options: [
            { value: 'User', label: 'Accounts' },
            { value: 'Group', label: 'Groups' },
            { value: 'Project', label: 'Projects' },
            { value: 'Instance', label: 'The instance' },
          ],
        },
      ]
    : []),
]
