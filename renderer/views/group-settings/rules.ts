import type { SettingLine, SettingSection } from '../../components/form/setting-lines.ts'
import { t } from '../../locales/t.ts'

const sharing: SettingLine[] = [
  {
    key: 'request_access_enabled',
    kind: 'switch',
    label: t('group_settings.allow_access_requests'),
    help: t('group_settings.anyone_who_can_see_the_group_can'),
  },
  {
    key: 'share_with_group_lock',
    kind: 'switch',
    label: t('group_settings.prevent_sharing_projects_with_other'),
    help: t('group_settings.its_projects_cannot_be_shared_with'),
  },
  {
    key: 'membership_lock',
    kind: 'switch',
    label: t('group_settings.lock_project_membership'),
    help: t('group_settings.membership_is_managed_in_the_group'),
  },
  {
    key: 'prevent_forking_outside_group',
    kind: 'switch',
    label: t('group_settings.prevent_forking_outside_the_group'),
    help: t('group_settings.its_projects_can_only_be_forked_within'),
  },
]
/** Only a top-level group has a hierarchy. */
const topOnly: SettingLine = {
  key: 'prevent_sharing_groups_outside_hierarchy',
  kind: 'switch',
  label: t('group_settings.invite_only_groups_of_this_hierarchy'),
  help: t('group_settings.groups_outside_this_hierarchy_cannot'),
}

/** The settings of a group and its subgroups. */
export const rulesOf = (isTop: boolean): readonly SettingSection[] => [
  {
    title: t('group_settings.creation'),
    lines: [
      {
        key: 'project_creation_level',
        kind: 'choice',
        label: t('group_settings.roles_that_can_create_projects'),
        options: [
          { value: 'developer', label: t('group_settings.developers_and_above') },
          { value: 'maintainer', label: t('group_settings.maintainers_and_above') },
          { value: 'noone', label: t('common.nobody') },
        ],
      },
      {
        key: 'subgroup_creation_level',
        kind: 'choice',
        label: t('group_settings.roles_that_can_create_subgroups'),
        options: [
          { value: 'maintainer', label: t('group_settings.maintainers_and_above') },
          { value: 'owner', label: t('group_settings.owners') },
        ],
      },
      {
        key: 'default_branch_protection',
        kind: 'choice',
        label: t('group_settings.default_branch_protection'),
        help: t('group_settings.initial_protection_of_the_default'),
        options: [
          { value: 2, label: t('group_settings.fully_protected') },
          { value: 1, label: t('group_settings.developers_push_no_force') },
          { value: 3, label: t('group_settings.developers_can_merge') },
          { value: 4, label: t('group_settings.developers_can_push_once') },
          { value: 0, label: t('group_settings.not_protected') },
        ],
      },
    ],
  },
  { title: t('group_settings.access'), lines: isTop ? [...sharing, topOnly] : sharing },
  {
    title: t('group_settings.protection'),
    lines: [
      ...(isTop
        ? [
            {
              key: 'enabled_git_access_protocol',
              kind: 'choice',
              label: t('group_settings.enabled_git_protocols'),
              options: [
                { value: 'all', label: t('group_settings.ssh_and_http') },
                { value: 'ssh', label: t('group_settings.ssh_only') },
                { value: 'http', label: t('group_settings.http_only') },
              ],
            } as const,
            {
              key: 'ip_restriction_ranges',
              kind: 'text',
              label: t('group_settings.allowed_ip_ranges'),
              help: t('group_settings.ranges_such_as_192_168_0_0_24'),
            } as const,
          ]
        : []),
      {
        key: 'lfs_enabled',
        kind: 'switch',
        label: t('group_settings.large_files_lfs'),
        help: t('group_settings.for_its_projects_unless_they_turn_it'),
      },
      {
        key: 'wiki_access_level',
        kind: 'choice',
        label: t('group_settings.group_wiki'),
        options: [
          { value: 'enabled', label: t('group_settings.everyone_with_access') },
          { value: 'private', label: t('group_settings.only_members') },
          { value: 'disabled', label: t('common.nobody') },
        ],
      },
      {
        key: 'shared_runners_setting',
        kind: 'choice',
        label: t('group_settings.instance_runners'),
        options: [
          { value: 'enabled', label: t('group_settings.enabled') },
          { value: 'disabled_and_overridable', label: t('group_settings.disabled_projects_can_override') },
          { value: 'disabled_and_unoverridable', label: t('group_settings.disabled_no_override') },
        ],
      },
      {
        key: 'auto_devops_enabled',
        kind: 'switch',
        label: t('group_settings.auto_devops'),
        help: t('group_settings.default_for_projects_that_set_none'),
      },
      {
        key: 'emails_disabled',
        kind: 'switch',
        label: t('group_settings.disable_email_notifications'),
        help: t('group_settings.no_emails_are_sent_for_this_group'),
      },
      {
        key: 'mentions_disabled',
        kind: 'switch',
        label: t('group_settings.disable_group_mentions'),
        help: t('group_settings.mentioning_the_group_notifies_no_one'),
      },
      {
        key: 'require_two_factor_authentication',
        kind: 'switch',
        label: t('group_settings.require_two_factor_authentication'),
      },
      {
        key: 'two_factor_grace_period',
        kind: 'number',
        label: t('group_settings.grace_period'),
        unit: t('group_settings.hours'),
      },
    ],
  },
]
