import { bool, choice, int, text } from '../../http/params.ts'
import type { GroupColumns } from './service.ts'

const flag = (description: string) => bool().optional().describe(description)

/** Settings that a group may be given, columns of the same name (spec core 2.2). */
export const groupSettings = {
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
}

/** Settings as given → columns. What was not given is not in the result. */
export function settingsToColumns(given: Readonly<Record<string, unknown>>): GroupColumns {
  const changes: Record<string, unknown> = {}
  for (const name of Object.keys(groupSettings)) {
    const value = given[name]
    if (value === undefined) continue
    changes[name] =
      typeof value === 'boolean' ? Number(value) : name === 'description' ? (value ?? '') : value
  }
  return changes as GroupColumns
}
