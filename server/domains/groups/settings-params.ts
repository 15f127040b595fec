import { bool, choice, int, list, text } from '../../http/params.ts'
import { avatarParam } from '../storage/index.ts'
import type { GroupColumns } from './types.ts'

const flag = (description: string) => bool().optional().describe(description)

/** Settings of new and existing groups. Their columns have the same names (spec core 2.2). */
const sharedParams = {
  description: text().nullable().optional().describe('Description'),
  visibility: choice('private', 'internal', 'public').optional().describe('Visibility of the group'),
  share_with_group_lock: flag('Prevent sharing a project with another group within this group'),
  require_two_factor_authentication: flag('Require all members to set up two-factor authentication'),
  two_factor_grace_period: int({ min: 0 })
    .optional()
    .describe('Hours before two-factor authentication is enforced'),
  project_creation_level: choice('noone', 'maintainer', 'developer')
    .optional()
    .describe('Minimum role to create projects in the group'),
  subgroup_creation_level: choice('owner', 'maintainer')
    .optional()
    .describe('Minimum role to create subgroups'),
  auto_devops_enabled: bool()
    .nullable()
    .optional()
    .describe('Default to Auto DevOps for all projects in the group'),
  emails_disabled: bool().nullable().optional().describe('Disable email notifications'),
  mentions_disabled: bool().nullable().optional().describe('Disable mentions of the group'),
  lfs_enabled: flag('Enable Git LFS for the projects in the group'),
  request_access_enabled: flag('Allow users to request member access'),
  default_branch_protection: int({ min: 0, max: 4 })
    .optional()
    .describe(
      'Default branch protection of new projects: 0 no protection, 1 developers can push but not force push, 2 maintainers can push, 3 maintainers can push and developers can merge, 4 like 2 after the initial push',
    ),
  membership_lock: flag('Prevent adding members to projects in the group'),
  enabled_git_access_protocol: choice('ssh', 'http', 'all')
    .optional()
    .describe('Enabled protocols for Git access'),
  wiki_access_level: choice('disabled', 'private', 'enabled').optional().describe('Access level of the wiki'),
  shared_runners_minutes_limit: int({ min: 0 })
    .nullable()
    .optional()
    .describe('Monthly compute minutes on shared runners. Administrators only'),
  extra_shared_runners_minutes_limit: int({ min: 0 })
    .nullable()
    .optional()
    .describe('Additional compute minutes on shared runners. Administrators only'),
}

/** Settings of existing groups only. Their columns have the same names. */
const updateParams = {
  prevent_sharing_groups_outside_hierarchy: flag(
    'Prevent sharing with groups outside of the hierarchy. Top-level groups only',
  ),
  prevent_forking_outside_group: flag('Prevent forking projects outside of the group'),
  file_template_project_id: int().nullable().optional().describe('The ID of the project with file templates'),
  ip_restriction_ranges: text({ max: 2000 })
    .nullable()
    .optional()
    .describe(
      'IP addresses or subnet masks that can access the group, separated by commas. Top-level groups only',
    ),
  unique_project_download_limit: int({ min: 0, max: 10_000 })
    .optional()
    .describe('Maximum number of projects that a user can download in the interval. 0 means no limit'),
  unique_project_download_limit_interval_in_seconds: int({ min: 0, max: 864_000 })
    .optional()
    .describe('Length of the interval in seconds'),
  unique_project_download_limit_allowlist: list(text({ max: 255 }), { max: 100 })
    .optional()
    .describe('Usernames excluded from the download limit'),
  unique_project_download_limit_alertlist: list(int(), { max: 100 })
    .optional()
    .describe('IDs of users to notify when a user exceeds the download limit'),
  auto_ban_user_on_excessive_projects_download: flag('Ban users who exceed the download limit'),
}

/** Settings of a new group. */
export const newGroupSettings = { ...sharedParams, avatar: avatarParam() }

/** Settings of an existing group. */
export const groupSettings = {
  ...newGroupSettings,
  ...updateParams,
  shared_runners_setting: choice(
    'enabled',
    'disabled_and_overridable',
    'disabled_with_override',
    'disabled_and_unoverridable',
  )
    .optional()
    .describe('Enable or disable shared runners for the projects in the group and its subgroups'),
}

function columnOf(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return JSON.stringify(value)
  if (name === 'description') return value ?? ''
  return name === 'ip_restriction_ranges' && value === '' ? null : value
}

/** Returns settings as columns, without undefined ones. */
export function settingsToColumns(input: Readonly<Record<string, unknown>>): GroupColumns {
  const names = [...Object.keys(sharedParams), ...Object.keys(updateParams)]
  const changes = names
    .filter((name) => input[name] !== undefined)
    .map((name) => [name, columnOf(name, input[name])])
  return Object.fromEntries(changes) as GroupColumns
}
