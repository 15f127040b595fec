import { IMPORT_SOURCES } from '../../../lib/aliases.ts'
import { flag, integer, integerOrNull, line, numberChoice, singleChoice } from './params-kinds.ts'
import { list, numbers, weights, object, multipleChoice } from './params-lists.ts'
import type { Setting } from './types.ts'

const VISIBILITIES = { private: 'Private', internal: 'Internal', public: 'Public' } as const

const defaultVisibility = (kind: string) =>
  singleChoice(
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
  default_branch_protection: numberChoice(
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
  default_project_visibility: defaultVisibility('project'),
  default_group_visibility: defaultVisibility('group'),
  default_snippet_visibility: singleChoice(
    VISIBILITIES,
    'private',
    'Default snippet visibility',
    'Preselected in the window for new snippets. Does not apply to API requests.',
  ),
  restricted_visibility_levels: multipleChoice(
    VISIBILITIES,
    [],
    'Restricted visibility levels',
    'Only administrators can use these levels for projects, groups, and snippets. Restricting public also requires sign-in for profiles.',
  ),
  default_project_creation: numberChoice(
    [
      [0, 'No one'],
      [1, 'Maintainers'],
      [2, 'Developers and maintainers'],
    ],
    2,
    'Default project creation protection',
    'Minimum role to create projects in new groups.',
  ),
  default_projects_limit: integer(
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
  import_sources: multipleChoice(
    Object.fromEntries(IMPORT_SOURCES.map((name) => [name, name])) as {
      [Name in (typeof IMPORT_SOURCES)[number]]: Name
    },
    [...IMPORT_SOURCES],
    'Import sources',
    'Sources that projects can be imported from.',
  ),
  file_template_project_id: integerOrNull(
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

/** Storage and display of repositories. */
export const repositories = {
  repository_storages_weighted: weights(
    { default: 100 },
    'Storage weights for new repositories',
    'Weight of each storage from 0 to 100.',
  ),
  receive_max_input_size: integerOrNull(null, 'Maximum push size', 'Larger pushes are rejected.', {
    unit: 'MB',
    empty: 'no limit',
    min: 0,
  }),
  repository_size_limit: integerOrNull(
    0,
    'Repository size limit',
    'Above it pushes, commits, and merges are rejected. 0 means no limit.',
    { unit: 'MB', min: 0 },
  ),
  push_event_activities_limit: integer(
    3,
    'Push event activities limit',
    'Pushes that change more branches create one bulk entry in the activity feed.',
    {
      min: 0,
    },
  ),
  diff_max_patch_bytes: integer(204_800, 'Maximum diff patch size', 'Larger diffs of a file are collapsed.', {
    unit: 'bytes',
    min: 204_800,
    max: 512_000,
  }),
  diff_max_files: integer(1000, 'Maximum diff files', 'Additional files of a diff are not shown.', {
    min: 1000,
    max: 3000,
  }),
  diff_max_lines: integer(50_000, 'Maximum diff lines', 'Additional lines of a diff are not shown.', {
    min: 50_000,
    max: 100_000,
  }),
  housekeeping_enabled: flag(
    true,
    'Enable automatic repository housekeeping',
    'Runs in the background after a number of pushes.',
    {
      sentWith: [
        'housekeeping_bitmaps_enabled',
        'housekeeping_full_repack_period',
        'housekeeping_gc_period',
        'housekeeping_incremental_repack_period',
      ],
    },
  ),
  housekeeping_incremental_repack_period: integer(10, 'Incremental repack period', 'Packs new objects.', {
    unit: 'pushes',
    above: 0,
  }),
  housekeeping_full_repack_period: integer(50, 'Full repack period', 'Packs all objects of the repository.', {
    unit: 'pushes',
    above: 0,
  }),
  housekeeping_gc_period: integer(200, 'Git GC period', 'Removes objects that are no longer reachable.', {
    unit: 'pushes',
    above: 0,
  }),
  housekeeping_optimize_repository_period: integer(
    10,
    'Optimize repository period',
    'Repacks a repository after this many pushes, or earlier if one of the periods above is shorter.',
    { unit: 'pushes', above: 0 },
  ),
  repository_checks_enabled: flag(
    true,
    'Enable repository checks',
    'Checks repositories regularly and notifies administrators of damage.',
  ),
  gitaly_timeout_fast: integer(
    10,
    'Fast Git timeout',
    'For fast commands, for example whether a branch exists. 0 means no timeout.',
    {
      unit: 'seconds',
      min: 0,
    },
  ),
  gitaly_timeout_medium: integer(
    30,
    'Medium Git timeout',
    'For slower commands, for example a list of commits. 0 means no timeout.',
    {
      unit: 'seconds',
      min: 0,
    },
  ),
  gitaly_timeout_default: integer(
    55,
    'Default Git timeout',
    'For all other commands, for example a comparison. 0 means no timeout.',
    {
      unit: 'seconds',
      min: 0,
    },
  ),
  mirror_available: flag(
    true,
    'Allow project maintainers to configure repository mirroring',
    'If off, only administrators can configure mirrors.',
  ),
  mirror_max_delay: integer(
    300,
    'Maximum delay of mirrors',
    'Maximum time between two updates of a pull mirror.',
    {
      unit: 'minutes',
      above: 0,
    },
  ),
  mirror_max_capacity: integer(
    100,
    'Maximum mirror capacity',
    'Number of mirrors that update at the same time.',
    { above: 0 },
  ),
  mirror_capacity_threshold: integer(
    50,
    'Mirror capacity threshold',
    'Must not be higher than the maximum mirror capacity.',
    {
      above: 0,
      effect: 'echo',
    },
  ),
  max_number_of_repository_downloads: integer(
    0,
    'Maximum repository downloads per user',
    'Users who download more projects within the period below exceed the limit. 0 means no limit.',
    { min: 0, max: 10_000 },
  ),
  max_number_of_repository_downloads_within_time_period: integer(
    0,
    'Repository download limit period',
    '0 means no limit.',
    {
      unit: 'seconds',
      min: 0,
      max: 864_000,
    },
  ),
  auto_ban_user_on_excessive_projects_download: flag(
    false,
    'Ban users who exceed the download limit',
    'If off, only a notification is sent.',
  ),
  git_rate_limit_users_allowlist: list([], 'Users to exclude from the download limit', 'List of usernames.', {
    max: 100,
    empty: 'none',
  }),
  git_rate_limit_users_alertlist: numbers(
    [],
    'Users to notify when a user exceeds the download limit',
    'IDs of the users.',
    {
      max: 100,
      empty: 'all administrators',
    },
  ),
} satisfies Record<string, Setting>
