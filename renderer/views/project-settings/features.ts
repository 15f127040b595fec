import type { SettingSection } from '../../components/form/setting-lines.ts'

const LEVELS = [
  { value: 'disabled', label: 'Nobody' },
  { value: 'private', label: 'Only members' },
  { value: 'enabled', label: 'Everyone with access' },
] as const
/** What can be open to all even where the project is not. */
const OPEN_LEVELS = [...LEVELS, { value: 'public', label: 'Everyone, always' }] as const

const feature = (
  key: string,
  label: string,
  help: string,
  options: readonly { value: string; label: string }[] = LEVELS,
) => ({ key: `${key}_access_level`, kind: 'choice', label, help, options }) as const

/** The visibility of a project and of its features. */
export const FEATURES: readonly SettingSection[] = [
  {
    title: 'Who sees it',
    lines: [
      {
        key: 'visibility',
        kind: 'choice',
        label: 'Visibility',
        help: 'Private: only members. Internal: everyone who is signed in. Public: everyone who can reach this instance.',
        options: [
          { value: 'private', label: 'Private' },
          { value: 'internal', label: 'Internal' },
          { value: 'public', label: 'Public' },
        ],
      },
      {
        key: 'request_access_enabled',
        kind: 'switch',
        label: 'People may ask for access',
        help: 'People who can see the project can request access, listed under Members.',
      },
      {
        key: 'enforce_auth_checks_on_uploads',
        kind: 'switch',
        label: 'Require sign-in to view uploaded files',
        help: 'When off, anyone with the link can open an uploaded file.',
      },
      {
        key: 'emails_disabled',
        kind: 'switch',
        label: 'No email about it',
        help: 'No email is sent about this project.',
      },
    ],
  },
  {
    title: 'Features and visibility',
    lead: 'Disabled features are hidden and answer 404 or 403 in the API. Their data is kept.',
    lines: [
      feature('repository', 'Repository', 'Code, branches and tags, with everything built on them.'),
      feature('merge_requests', 'Merge requests', 'Changes that are looked at before they go in.'),
      feature('forking', 'Forks', 'Copies of it under other owners.'),
      feature('issues', 'Issues', 'Things to do and to talk about.'),
      feature('wiki', 'Wiki', 'Pages of documentation in a repository of their own.'),
      feature('snippets', 'Snippets', 'Share pieces of code and text.'),
      feature('builds', 'Pipelines', 'Jobs that build, test and deploy.'),
      feature('releases', 'Releases', 'Versions with notes and files.'),
      feature('environments', 'Environments', 'Track deployments.'),
      feature('feature_flags', 'Feature flags', 'Switches that a running program asks for.'),
      feature('package_registry', 'Packages', 'Libraries that are published here.', OPEN_LEVELS),
      feature('container_registry', 'Container images', 'Images that are pushed here.'),
      feature('pages', 'Pages', 'A static site made by a pipeline.', OPEN_LEVELS),
      feature('analytics', 'Analytics', 'Figures about the work.'),
      feature('security_and_compliance', 'Security', 'Findings of scanners.'),
      feature('requirements', 'Requirements', 'What the product has to do.'),
      feature('monitor', 'Monitoring', 'Incidents and alerts.'),
      feature('infrastructure', 'Infrastructure', 'Clusters and their state.'),
      {
        key: 'lfs_enabled',
        kind: 'switch',
        label: 'Large files (LFS)',
        help: 'Store large files outside the repository.',
      },
      {
        key: 'service_desk_enabled',
        kind: 'switch',
        label: 'Service desk',
        help: 'People without an account write to it by email.',
      },
    ],
  },
  {
    title: 'In texts',
    lines: [
      {
        key: 'show_default_award_emojis',
        kind: 'switch',
        label: 'Offer thumbs up and down',
        help: 'Below merge requests and issues, before anybody chose another one.',
      },
      {
        key: 'warn_about_potentially_unwanted_characters',
        kind: 'switch',
        label: 'Warn about hidden characters',
        help: 'Characters that turn the direction of text can hide what code does.',
      },
    ],
  },
]
