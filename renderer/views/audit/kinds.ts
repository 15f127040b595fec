import type { Filter } from '../../components/filter/filters.ts'
import { t } from '../../locales/t.ts'

/** The most common filters of an audit log. The details of a row link to events of the same kind. */
const KINDS: Readonly<Record<'everywhere' | 'instance' | 'group' | 'project', readonly [string, string][]>> =
  {
    everywhere: [
      ['member_created', t('audit.members_added')],
      ['member_updated', t('audit.roles_changed')],
      ['member_destroyed', t('audit.members_removed')],
      ['access_token_created', t('audit.access_tokens_created')],
      ['deploy_token_created', t('audit.deploy_tokens_created')],
      ['ci_variable_created', t('audit.variables_created')],
      ['ci_variable_updated', t('audit.variables_changed')],
      ['web_hook_created', t('audit.webhooks_created')],
    ],
    instance: [
      ['user_signed_in', t('audit.signed_in')],
      ['user_sign_in_failed', t('audit.failed_sign_ins')],
      ['user_created', t('audit.users_created')],
      ['user_destroyed', t('audit.users_deleted')],
      ['user_state_changed', t('audit.users_blocked_or_unblocked')],
      ['user_password_updated', t('audit.passwords_changed')],
      ['personal_access_token_created', t('audit.personal_access_tokens_created')],
      ['ssh_key_added', t('audit.ssh_keys_added')],
      ['group_created', t('audit.groups_created')],
      ['group_destroyed', t('audit.groups_deleted')],
      ['project_created', t('audit.projects_created')],
      ['project_destroyed', t('audit.projects_deleted')],
      ['application_setting_updated', t('audit.several_settings_changed')],
    ],
    group: [
      ['group_visibility_updated', t('audit.visibility_changed')],
      ['group_share_created', t('audit.groups_invited')],
      ['scim_identity_provisioned', t('audit.provisioned_by_the_identity_provider')],
    ],
    project: [
      ['project_visibility_updated', t('audit.visibility_changed')],
      ['project_archived', t('common.archived')],
      ['protected_branch_protected', t('audit.branches_protected')],
      ['protected_branch_unprotected', t('audit.branches_unprotected')],
      ['approval_rule_updated', t('audit.approval_rules_changed')],
      ['deploy_key_added', t('audit.deploy_keys_added')],
      ['feature_flag_updated', t('audit.feature_flags_changed')],
      ['release_created', t('audit.releases_published')],
    ],
  }

const PERIODS = [
  { value: '1', label: t('audit.last_24_hours') },
  { value: '7', label: t('audit.last_7_days') },
  { value: '30', label: t('audit.last_30_days') },
  { value: '90', label: t('audit.last_90_days') },
]

/** The filters of a log. */
export const filtersOf = (kind: 'instance' | 'group' | 'project'): Filter[] => [
  { key: 'author_username', label: t('audit.author'), kind: 'people' },
  {
    key: 'event_name',
    label: t('audit.event'),
    kind: 'choice',
    options: [...KINDS[kind], ...KINDS.everywhere].map(([value, label]) => ({ value, label })),
  },
  { key: 'days', label: t('audit.date'), kind: 'choice', options: PERIODS },
  ...(kind === 'instance'
    ? [
        {
          key: 'entity_type',
          label: t('common.about'),
          kind: 'choice' as const,
          options: [
            { value: 'User', label: t('audit.users') },
            { value: 'Group', label: t('common.groups') },
            { value: 'Project', label: t('common.projects') },
            { value: 'Instance', label: t('audit.instance') },
          ],
        },
      ]
    : []),
]
