import { IMPORT_SOURCES } from '../../../lib/aliases.ts'
import { flag, line, oneNumberOf, oneOf, whole, wholeOrNone } from './params-kinds.ts'
import { object, someOf } from './params-lists.ts'
import type { Setting } from './types.ts'

export const VISIBILITIES = { private: 'Private', internal: 'Internal', public: 'Public' } as const

const visibilityOf = (kind: string) =>
  oneOf(
    VISIBILITIES,
    'private',
    `Default ${kind} visibility`,
    `Visibility of new ${kind}s if the request sets none.`,
  )

/** Defaults of new projects and groups. */
export const projects = {
  default_branch_name: line(
    null,
    'Default branch name',
    'Initial branch of new projects. Existing projects do not change.',
    { empty: 'main' },
  ),
  default_branch_protection: oneNumberOf(
    [
      [0, 'None'],
      [1, 'No force push'],
      [2, 'Maintainers push'],
      [3, 'Developers merge'],
      [4, 'After first push'],
    ],
    2,
    'Initial default branch protection',
    'Controls who can push to the default branch of new projects.',
  ),
  default_branch_protection_defaults: object(
    {
      allowed_to_push: [{ access_level: 40 }],
      allow_force_push: false,
      allowed_to_merge: [{ access_level: 40 }],
      developer_can_initial_push: false,
    },
    'Initial default branch protection (detailed)',
    'Newer clients send this form. The protection level above applies.',
    { effect: 'echo' },
  ),
  group_owners_can_manage_default_branch_protection: flag(
    true,
    'Allow owners to manage default branch protection per group',
    'If off, only administrators can change it for a group.',
  ),
  default_project_visibility: visibilityOf('project'),
  default_group_visibility: visibilityOf('group'),
  default_snippet_visibility: oneOf(
    VISIBILITIES,
    'private',
    'Default snippet visibility',
    'Preselected in the window for new snippets. API requests choose for themselves.',
  ),
  restricted_visibility_levels: someOf(
    VISIBILITIES,
    [],
    'Restricted visibility levels',
    'Only administrators can use these levels for projects, groups, and snippets. Restricting public also requires sign-in for profiles.',
  ),
  default_project_creation: oneNumberOf(
    [
      [0, 'No one'],
      [1, 'Maintainers'],
      [2, 'Developers and maintainers'],
    ],
    2,
    'Default project creation protection',
    'Minimum role to create projects in new groups.',
  ),
  default_projects_limit: whole(
    100_000,
    'Default projects limit',
    'Number of personal projects for new users. Projects in groups do not count.',
    { min: 0 },
  ),
  can_create_group: flag(
    true,
    'Users can create top-level groups',
    'Applies to new users. Subgroups depend on the parent group.',
  ),
  project_export_enabled: flag(true, 'Enable project export', 'If off, project export requests return 404.'),
  import_sources: someOf(
    Object.fromEntries(IMPORT_SOURCES.map((name) => [name, name])) as {
      [Name in (typeof IMPORT_SOURCES)[number]]: Name
    },
    [...IMPORT_SOURCES],
    'Import sources',
    'Sources that projects can be imported from.',
  ),
  file_template_project_id: wholeOrNone(
    null,
    'File template project',
    'Its licenses, .gitignore files, and CI/CD configurations are templates for all projects.',
    { empty: 'none', above: 0 },
  ),
  custom_http_clone_url_root: line(
    null,
    'Custom Git clone URL for HTTP(S)',
    'Root of the clone URLs if Git uses another address than the browser.',
    { empty: 'the address of the instance', max: 511 },
  ),
} satisfies Record<string, Setting>
