import { bool, choice, int, list, text } from '../../http/params.ts'
import { avatarParam } from '../storage/index.ts'
import type { GroupColumns } from './types.ts'

const flag = (description: string) => bool().optional().describe(description)

/** Columns of the same name that a new group may be given, and one that exists (spec core 2.2). */
const common = {
  description: text().nullable().optional().describe('What the group is'),
  visibility: choice('private', 'internal', 'public').optional().describe('Who may see the group'),
  share_with_group_lock: flag('Projects may not be shared with other groups'),
  require_two_factor_authentication: flag('Members need a second factor'),
  two_factor_grace_period: int({ min: 0 })
    .optional()
    .describe('Hours until the second factor is insisted on'),
  project_creation_level: choice('noone', 'maintainer', 'developer')
    .optional()
    .describe('Who may create projects'),
  subgroup_creation_level: choice('owner', 'maintainer').optional().describe('Who may create subgroups'),
  auto_devops_enabled: bool()
    .nullable()
    .optional()
    .describe('A pipeline without configuration, for its projects'),
  emails_disabled: bool().nullable().optional().describe('No e-mail about the group'),
  mentions_disabled: bool().nullable().optional().describe('The group cannot be mentioned'),
  lfs_enabled: flag('Large file storage'),
  request_access_enabled: flag('Users may ask for membership'),
  default_branch_protection: int({ min: 0, max: 4 })
    .optional()
    .describe(
      'Protection of the default branch of new projects: 0 none, 1 no force push, 2 maintainers push, 3 developers may merge',
    ),
  membership_lock: flag('Nobody may be added to its projects'),
  enabled_git_access_protocol: choice('ssh', 'http', 'all')
    .optional()
    .describe('How its code may be reached'),
  wiki_access_level: choice('disabled', 'private', 'enabled').optional().describe('Who may see the wiki'),
  shared_runners_minutes_limit: int({ min: 0 })
    .nullable()
    .optional()
    .describe('Minutes of shared runners in a month (administrators)'),
  extra_shared_runners_minutes_limit: int({ min: 0 })
    .nullable()
    .optional()
    .describe('Minutes of shared runners beyond those of the month (administrators)'),
}

/** The same for a group that exists. */
const later = {
  prevent_sharing_groups_outside_hierarchy: flag(
    'Its groups and projects may be shared with each other only (top-level groups)',
  ),
  prevent_forking_outside_group: flag('Projects may be forked within the group only'),
  file_template_project_id: int().nullable().optional().describe('Project with templates for files'),
  ip_restriction_ranges: text({ max: 2000 })
    .nullable()
    .optional()
    .describe('Addresses that may reach the group, CIDR blocks with commas (top-level groups)'),
  unique_project_download_limit: int({ min: 0, max: 10_000 })
    .optional()
    .describe('Projects that one user may download in the interval; 0 for any number'),
  unique_project_download_limit_interval_in_seconds: int({ min: 0, max: 864_000 })
    .optional()
    .describe('Length of that interval'),
  unique_project_download_limit_allowlist: list(text({ max: 255 }), { max: 100 })
    .optional()
    .describe('User names that may download any number'),
  unique_project_download_limit_alertlist: list(int(), { max: 100 })
    .optional()
    .describe('Ids of the users who are told of too many downloads'),
  auto_ban_user_on_excessive_projects_download: flag('Ban users who download too many'),
}

/** Settings of a new group. */
export const newGroupSettings = { ...common, avatar: avatarParam() }

/** Settings of a group that exists. */
export const groupSettings = {
  ...newGroupSettings,
  ...later,
  shared_runners_setting: choice(
    'enabled',
    'disabled_and_overridable',
    'disabled_with_override',
    'disabled_and_unoverridable',
  )
    .optional()
    .describe('Whether shared runners take the jobs of its projects, and who may say otherwise'),
}

function columnOf(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return JSON.stringify(value)
  if (name === 'description') return value ?? ''
  return name === 'ip_restriction_ranges' && value === '' ? null : value
}

/** Settings as given → columns of the same name. What was not given is not in the result. */
export function settingsToColumns(given: Readonly<Record<string, unknown>>): GroupColumns {
  const names = [...Object.keys(common), ...Object.keys(later)]
  const changes = names
    .filter((name) => given[name] !== undefined)
    .map((name) => [name, columnOf(name, given[name])])
  return Object.fromEntries(changes) as GroupColumns
}
