import type { SettingLine, SettingSection } from '../../components/form/setting-lines.ts'

const sharing: SettingLine[] = [
  {
    key: 'request_access_enabled',
    kind: 'switch',
    label: 'People may ask for access',
    help: 'People who can see the group can request access, listed under Members.',
  },
  {
    key: 'share_with_group_lock',
    kind: 'switch',
    label: 'Projects in it are not shared with other groups',
    help: 'Its projects cannot be shared with other groups.',
  },
  {
    key: 'membership_lock',
    kind: 'switch',
    label: 'Projects in it take no members of their own',
    help: 'Projects cannot add their own members.',
  },
  {
    key: 'prevent_forking_outside_group',
    kind: 'switch',
    label: 'Forks stay in the group',
    help: 'Its projects can only be forked within the group.',
  },
]
/** Only a top-level group has a hierarchy. */
const topOnly: SettingLine = {
  key: 'prevent_sharing_groups_outside_hierarchy',
  kind: 'switch',
  label: 'Invite only groups of its own',
  help: 'Groups elsewhere cannot be invited into it or below it.',
}

/** The settings of a group and its subgroups. */
export const rulesOf = (isTop: boolean): readonly SettingSection[] => [
  {
    title: 'Who makes what',
    lines: [
      {
        key: 'project_creation_level',
        kind: 'choice',
        label: 'Projects are made by',
        options: [
          { value: 'developer', label: 'Developers and above' },
          { value: 'maintainer', label: 'Maintainers and above' },
          { value: 'noone', label: 'Nobody' },
        ],
      },
      {
        key: 'subgroup_creation_level',
        kind: 'choice',
        label: 'Subgroups are made by',
        options: [
          { value: 'maintainer', label: 'Maintainers and above' },
          { value: 'owner', label: 'Owners' },
        ],
      },
      {
        key: 'default_branch_protection',
        kind: 'choice',
        label: 'Default branches of new projects',
        help: 'Initial protection of the default branch of new projects.',
        options: [
          { value: 2, label: 'Only maintainers push' },
          { value: 1, label: 'Developers push, no force' },
          { value: 3, label: 'Developers merge only' },
          { value: 4, label: 'Developers, first push only' },
          { value: 0, label: 'Everybody pushes' },
        ],
      },
    ],
  },
  { title: 'Who gets in', lines: isTop ? [...sharing, topOnly] : sharing },
  {
    title: 'How',
    lines: [
      ...(isTop
        ? [
            {
              key: 'enabled_git_access_protocol',
              kind: 'choice',
              label: 'git reaches its projects by',
              options: [
                { value: 'all', label: 'SSH and HTTP' },
                { value: 'ssh', label: 'SSH only' },
                { value: 'http', label: 'HTTP only' },
              ],
            } as const,
            {
              key: 'ip_restriction_ranges',
              kind: 'text',
              label: 'Reached only from these addresses',
              help: 'Networks such as 192.168.0.0/24, apart by commas. Empty: from everywhere.',
            } as const,
          ]
        : []),
      {
        key: 'lfs_enabled',
        kind: 'switch',
        label: 'Large files (LFS)',
        help: 'For its projects, unless they turn it off.',
      },
      {
        key: 'wiki_access_level',
        kind: 'choice',
        label: 'Wiki of the group',
        options: [
          { value: 'enabled', label: 'Everyone with access' },
          { value: 'private', label: 'Only members' },
          { value: 'disabled', label: 'Nobody' },
        ],
      },
      {
        key: 'shared_runners_setting',
        kind: 'choice',
        label: 'Runners of the instance',
        options: [
          { value: 'enabled', label: 'Used' },
          { value: 'disabled_and_overridable', label: 'Not used, projects may' },
          { value: 'disabled_and_unoverridable', label: 'Not used at all' },
        ],
      },
      {
        key: 'auto_devops_enabled',
        kind: 'switch',
        label: 'Make up pipelines',
        help: 'For projects without a description of their own.',
      },
      {
        key: 'emails_disabled',
        kind: 'switch',
        label: 'No email about it',
        help: 'No email is sent about this group.',
      },
      {
        key: 'mentions_disabled',
        kind: 'switch',
        label: 'It cannot be mentioned',
        help: 'Mentioning the group notifies no one.',
      },
      {
        key: 'require_two_factor_authentication',
        kind: 'switch',
        label: 'Members need a second factor',
      },
      { key: 'two_factor_grace_period', kind: 'number', label: 'They have time for it', unit: 'hours' },
    ],
  },
]
