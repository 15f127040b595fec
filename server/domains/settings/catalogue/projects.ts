import { z } from 'zod'

import { IMPORT_SOURCES } from '../../../http/aliases.ts'
import { param, refuse } from '../../../http/param.ts'
import { bool, choice, int, list, text } from '../../../http/params.ts'
import { setting, type Setting } from './setting.ts'

/** An object of names and whole numbers from 0 to 100. */
const weights = () =>
  param<Record<string, number>>({ type: 'object', additionalProperties: { type: 'integer' } }, (raw) => {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return refuse('is invalid')
    const pairs = Object.entries(raw).map(([name, weight]): [string, number] => [name, Number(weight)])
    const isFine = pairs.every(([, weight]) => Number.isInteger(weight) && weight >= 0 && weight <= 100)
    return isFine ? Object.fromEntries(pairs) : refuse('is invalid')
  })

const visibility = () => choice('private', 'internal', 'public')
const visibilityValue = z.enum(['private', 'internal', 'public'])

/** Defaults, limits and deletion of projects and groups. */
export const projects = {
  default_branch_name: setting(
    text({ max: 255 }).nullable().describe('Name of the first branch of new projects; empty means `main`'),
    z.string().nullable(),
    null,
  ),
  default_branch_protection: setting(
    int({ min: 0, max: 4 }).describe(
      'Protection of the default branch of new projects: 0 none, 1 no force push, 2 maintainers push, 3 developers may merge',
    ),
    z.int(),
    2,
  ),
  group_owners_can_manage_default_branch_protection: setting(
    bool().describe('Owners of groups may choose the protection of default branches'),
    z.boolean(),
    true,
  ),
  default_project_visibility: setting(
    visibility().describe('Visibility of new projects'),
    visibilityValue,
    'private',
  ),
  default_group_visibility: setting(
    visibility().describe('Visibility of new groups'),
    visibilityValue,
    'private',
  ),
  default_snippet_visibility: setting(
    visibility().describe('Visibility of new snippets'),
    visibilityValue,
    'private',
  ),
  restricted_visibility_levels: setting(
    list(visibility()).describe('Visibility levels that only administrators may choose'),
    z.array(visibilityValue),
    [],
  ),
  default_project_creation: setting(
    int({ min: 0, max: 2 }).describe(
      'Who may create projects in new groups: 0 nobody, 1 maintainers, 2 developers and maintainers',
    ),
    z.int(),
    2,
  ),
  default_projects_limit: setting(
    int({ min: 0 }).describe('Personal projects that a new user may have'),
    z.int(),
    100_000,
  ),
  delayed_project_deletion: setting(
    bool().describe('Deleted projects are kept for some days, marked, before they go'),
    z.boolean(),
    false,
  ),
  delayed_group_deletion: setting(
    bool().describe('Deleted groups are kept for some days, marked, before they go'),
    z.boolean(),
    true,
  ),
  deletion_adjourned_period: setting(
    int({ min: 0, max: 90 }).describe('Days for which deleted projects and groups are kept'),
    z.int(),
    7,
  ),
  delete_inactive_projects: setting(
    bool().describe('Projects in which nothing happens any more are deleted, after a warning'),
    z.boolean(),
    false,
  ),
  inactive_projects_delete_after_months: setting(
    int({ min: 1, max: 1200 }).describe('Months without activity after which they are deleted'),
    z.int(),
    2,
  ),
  inactive_projects_send_warning_email_after_months: setting(
    int({ min: 1, max: 1200 }).describe('Months without activity after which their members are warned'),
    z.int(),
    1,
  ),
  inactive_projects_min_size_mb: setting(
    int({ min: 0 }).describe('Only projects whose repository is at least this large, MB'),
    z.int(),
    0,
  ),
  import_sources: setting(
    list(choice(...IMPORT_SOURCES)).describe('Where projects may be imported from'),
    z.array(z.enum(IMPORT_SOURCES)),
    [...IMPORT_SOURCES],
  ),
  can_create_group: setting(bool().describe('New users may create top-level groups'), z.boolean(), true),
  repository_storages_weighted: setting(
    weights().describe('Storages for new repositories, each with its share (0 to 100) of them'),
    z.record(z.string(), z.int()),
    { default: 100 },
  ),
} satisfies Record<string, Setting>
