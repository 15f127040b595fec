import { bool, choice, int, list, text } from '../../http/params.ts'
import { avatarParam } from '../storage/index.ts'
import type { GroupColumns } from './types.ts'

const flag = (description: string) => bool().optional().describe(description)

/** Parameters for new and existing groups. The columns have the same names (spec core 2.2). */
const common = {
  description: text().nullable().optional().describe('Description'),
  visibility: choice('private', 'internal', 'public').optional().describe('Visibility of the group'),
  share_with_group_lock: flag('Whether sharing its projects with other groups is disabled'),
  require_two_factor_authentication: flag('Whether members need a second factor'),
  two_factor_grace_period: int({ min: 0 }).optional().describe('Hours until the second factor is enforced'),
  project_creation_level: choice('noone', 'maintainer', 'developer')
    .optional()
    .describe('Who may create projects'),
  subgroup_creation_level: choice('owner', 'maintainer').optional().describe('Who may create subgroups'),
  auto_devops_enabled: bool().nullable().optional().describe('Use Auto DevOps pipelines in its projects'),
  emails_disabled: bool().nullable().optional().describe('No email about the group'),
  mentions_disabled: bool().nullable().optional().describe('The group cannot be mentioned'),
  lfs_enabled: flag('Large file storage'),
  request_access_enabled: flag('Users may request access'),
  default_branch_protection: int({ min: 0, max: 4 })
    .optional()
    .describe(
      'Protection of the default branch of new projects: 0 none, 1 no force push, 2 maintainers push, 3 developers may merge',
    ),
  membership_lock: flag('Whether memberships of its projects are locked'),
  enabled_git_access_protocol: choice('ssh', 'http', 'all').optional().describe('Protocols that git may use'),
  wiki_access_level: choice('disabled', 'private', 'enabled').optional().describe('Access level of the wiki'),
  shared_runners_minutes_limit: int({ min: 0 })
    .nullable()
    .optional()
    .describe('Minutes on shared runners in a month (administrators)'),
  extra_shared_runners_minutes_limit: int({ min: 0 })
    .nullable()
    .optional()
    .describe('Additional minutes on shared runners (administrators)'),
}

/** Parameters for existing groups only. The columns have the same names. */
const later = {
  prevent_sharing_groups_outside_hierarchy: flag(
    'Share groups and projects within the hierarchy only (top-level groups)',
  ),
  prevent_forking_outside_group: flag('Projects may be forked within the group only'),
  file_template_project_id: int().nullable().optional().describe('Project with templates for files'),
  ip_restriction_ranges: text({ max: 2000 })
    .nullable()
    .optional()
    .describe('IP addresses that may access the group, as CIDR blocks with commas (top-level groups)'),
  unique_project_download_limit: int({ min: 0, max: 10_000 })
    .optional()
    .describe('Projects that one user may download in the interval; 0 for no limit'),
  unique_project_download_limit_interval_in_seconds: int({ min: 0, max: 864_000 })
    .optional()
    .describe('Length of the interval, in seconds'),
  unique_project_download_limit_allowlist: list(text({ max: 255 }), { max: 100 })
    .optional()
    .describe('Names of users without that limit'),
  unique_project_download_limit_alertlist: list(int(), { max: 100 })
    .optional()
    .describe('Ids of the users who are notified of too many downloads'),
  auto_ban_user_on_excessive_projects_download: flag('Ban users who download too many'),
}

/** Settings of a new group. */
export const newGroupSettings = { ...common, avatar: avatarParam() }

/** Settings of an existing group. */
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
    .describe('Whether shared runners run the jobs of its projects, and whether subgroups may override it'),
}

function columnOf(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return JSON.stringify(value)
  if (name === 'description') return value ?? ''
  return name === 'ip_restriction_ranges' && value === '' ? null : value
}

/** Turns settings into columns of the same name. Leaves out undefined settings. */
export function settingsToColumns(input: Readonly<Record<string, unknown>>): GroupColumns {
  const names = [...Object.keys(common), ...Object.keys(later)]
  const changes = names
    .filter((name) => input[name] !== undefined)
    .map((name) => [name, columnOf(name, input[name])])
  return Object.fromEntries(changes) as GroupColumns
}
