import { IMPORT_SOURCES } from '../../../lib/aliases.ts'
import { flag, line, oneNumberOf, oneOf, whole, wholeOrNone } from './params-kinds.ts'
import { object, someOf } from './params-lists.ts'
import type { Setting } from './types.ts'

export const VISIBILITIES = { private: 'Private', internal: 'Internal', public: 'Public' } as const

const visibilityOf = (kind: string) =>
  oneOf(
    VISIBILITIES,
    'private',
    `Visibility of new ${kind}s`,
    `When the request that makes a ${kind} does not say it.`,
  )

/** What new projects and groups are like. */
export const projects = {
  default_branch_name: line(
    null,
    'Name of the default branch',
    'The first branch of new projects. Existing projects keep theirs.',
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
    'Protection of the default branch',
    'Who may push to the first branch of a new project.',
  ),
  default_branch_protection_defaults: object(
    {
      allowed_to_push: [{ access_level: 40 }],
      allow_force_push: false,
      allowed_to_merge: [{ access_level: 40 }],
      developer_can_initial_push: false,
    },
    'Protection of the default branch, in detail',
    'The form that newer clients send; the level above is what counts.',
    { effect: 'echo' },
  ),
  group_owners_can_manage_default_branch_protection: flag(
    true,
    'Owners of groups choose the protection of default branches',
    'Otherwise only administrators change it for a group.',
  ),
  default_project_visibility: visibilityOf('project'),
  default_group_visibility: visibilityOf('group'),
  default_snippet_visibility: oneOf(
    VISIBILITIES,
    'private',
    'Visibility of new snippets',
    'What the form of the window begins with. Programs say it themselves.',
  ),
  restricted_visibility_levels: someOf(
    VISIBILITIES,
    [],
    'Visibilities for administrators only',
    'Nobody else can choose them for projects, groups and snippets. With public, profiles need a sign-in.',
  ),
  default_project_creation: oneNumberOf(
    [
      [0, 'Nobody'],
      [1, 'Maintainers'],
      [2, 'Developers and maintainers'],
    ],
    2,
    'Who may make projects in groups',
    'The rule of new groups.',
  ),
  default_projects_limit: whole(
    100_000,
    'Personal projects per user',
    'For users who are made from now on. Projects in groups do not count.',
    { min: 0 },
  ),
  can_create_group: flag(
    true,
    'New users may make groups at the top',
    'Groups inside other groups are decided there.',
  ),
  project_export_enabled: flag(true, 'Projects can be exported', 'Otherwise their export does not exist.'),
  import_sources: someOf(
    Object.fromEntries(IMPORT_SOURCES.map((name) => [name, name])) as {
      [Name in (typeof IMPORT_SOURCES)[number]]: Name
    },
    [...IMPORT_SOURCES],
    'Where projects may be imported from',
    'Other sources are refused.',
  ),
  file_template_project_id: wholeOrNone(
    null,
    'Project with templates of files',
    'Its licences, ignore files and pipelines are offered as templates everywhere.',
    { empty: 'none', above: 0 },
  ),
  custom_http_clone_url_root: line(
    null,
    'Address in front of HTTP clone addresses',
    'For instances that git reaches at another address than people do.',
    { empty: 'the address of the instance', max: 511 },
  ),
} satisfies Record<string, Setting>
