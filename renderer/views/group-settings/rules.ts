import type { SettingLine, SettingSection } from '../../components/form/setting-lines.ts'
import { t } from '../../locales/t.ts'

const sharing: SettingLine[] = [
  {
    key: 'request_access_enabled',
    kind: 'switch',
    label: t('group_settings.people_may_ask_for_access'),
    help: t('group_settings.people_who_can_see_the_group_can'),
  },
  {
    key: 'share_with_group_lock',
    kind: 'switch',
    label: t('group_settings.projects_in_it_are_not_shared_with'),
    help: t('group_settings.its_projects_cannot_be_shared_with'),
  },
  {
    key: 'membership_lock',
    kind: 'switch',
    label: t('group_settings.projects_in_it_take_no_members_of'),
    help: t('group_settings.projects_cannot_add_their_own_members'),
  },
  {
    key: 'prevent_forking_outside_group',
    kind: 'switch',
    label: t('group_settings.forks_stay_in_the_group'),
    help: t('group_settings.its_projects_can_only_be_forked_within'),
  },
]
/** Only a top-level group has a hierarchy. */
const topOnly: SettingLine = {
  key: 'prevent_sharing_groups_outside_hierarchy',
  kind: 'switch',
  label: t('group_settings.invite_only_groups_of_its_own'),
  help: t('group_settings.groups_elsewhere_cannot_be_invited'),
}

/** The settings of a group and its subgroups. */
export const rulesOf = (isTop: boolean): readonly SettingSection[] => [
  {
    title: t('group_settings.who_makes_what'),
    lines: [
      {
        key: 'project_creation_level',
        kind: 'choice',
        label: t('group_settings.projects_are_made_by'),
        options: [
          { value: 'developer', label: t('group_settings.developers_and_above') },
          { value: 'maintainer', label: t('group_settings.maintainers_and_above') },
          { value: 'noone', label: t('common.nobody') },
        ],
      },
      {
        key: 'subgroup_creation_level',
        kind: 'choice',
        label: t('group_settings.subgroups_are_made_by'),
        options: [
          { value: 'maintainer', label: t('group_settings.maintainers_and_above') },
          { value: 'owner', label: t('group_settings.owners') },
        ],
      },
      {
        key: 'default_branch_protection',
        kind: 'choice',
        label: t('group_settings.default_branches_of_new_projects'),
        help: t('group_settings.initial_protection_of_the_default'),
        options: [
          { value: 2, label: t('group_settings.only_maintainers_push') },
          { value: 1, label: t('group_settings.developers_push_no_force') },
          { value: 3, label: t('group_settings.developers_merge_only') },
          { value: 4, label: t('group_settings.developers_first_push_only') },
          { value: 0, label: t('group_settings.everybody_pushes') },
        ],
      },
    ],
  },
  { title: t('group_settings.who_gets_in'), lines: isTop ? [...sharing, topOnly] : sharing },
  {
    title: t('group_settings.how'),
    lines: [
      ...(isTop
        ? [
            {
              key: 'enabled_git_access_protocol',
              kind: 'choice',
              label: t('group_settings.git_reaches_its_projects_by'),
              options: [
                { value: 'all', label: t('group_settings.ssh_and_http') },
                { value: 'ssh', label: t('group_settings.ssh_only') },
                { value: 'http', label: t('group_settings.http_only') },
              ],
            } as const,
            {
              key: 'ip_restriction_ranges',
              kind: 'text',
              label: t('group_settings.reached_only_from_these_addresses'),
              help: t('group_settings.networks_such_as_192_168_0_0_24_apart'),
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
        label: t('group_settings.wiki_of_the_group'),
        options: [
          { value: 'enabled', label: t('group_settings.everyone_with_access') },
          { value: 'private', label: t('group_settings.only_members') },
          { value: 'disabled', label: t('common.nobody') },
        ],
      },
      {
        key: 'shared_runners_setting',
        kind: 'choice',
        label: t('group_settings.runners_of_the_instance'),
        options: [
          { value: 'enabled', label: t('group_settings.used') },
          { value: 'disabled_and_overridable', label: t('group_settings.not_used_projects_may') },
          { value: 'disabled_and_unoverridable', label: t('group_settings.not_used_at_all') },
        ],
      },
      {
        key: 'auto_devops_enabled',
        kind: 'switch',
        label: t('group_settings.make_up_pipelines'),
        help: t('group_settings.for_projects_without_a_description_of'),
      },
      {
        key: 'emails_disabled',
        kind: 'switch',
        label: t('group_settings.no_email_about_it'),
        help: t('group_settings.no_email_is_sent_about_this_group'),
      },
      {
        key: 'mentions_disabled',
        kind: 'switch',
        label: t('group_settings.it_cannot_be_mentioned'),
        help: t('group_settings.mentioning_the_group_notifies_no_one'),
      },
      {
        key: 'require_two_factor_authentication',
        kind: 'switch',
        label: t('group_settings.members_need_a_second_factor'),
      },
      {
        key: 'two_factor_grace_period',
        kind: 'number',
        label: t('group_settings.they_have_time_for_it'),
        unit: t('group_settings.hours'),
      },
    ],
  },
]
