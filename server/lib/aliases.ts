/**
 * The table of wire aliases (spec core 10, administration 15, ci 11): the neutral word of the contract and the name
 * that existing clients send or read. Answers use neutral names. A request may use either, and headers that clients
 * need are sent under both.
 */

/** Name that clients expect in a few texts (health, git user agents, token prefix). */
export const SERVICE_NAME = 'GitLab'

/** Prefix of new personal, project, group and impersonation tokens unless the setting says otherwise. */
export const TOKEN_PREFIX = 'glpat-'

/** Import sources of projects, as in the setting `import_sources` (spec administration 1.2). */
export const IMPORT_SOURCES = [
  'github',
  'bitbucket',
  'bitbucket_server',
  'gitlab',
  'fogbugz',
  'git',
  'gitlab_project',
  'gitea',
  'manifest',
  'phabricator',
] as const

/** The `commit_source` field of signatures. */
export const COMMIT_SOURCE = 'gitaly'

/** Default username of a deploy token for git. */
export const deployTokenName = (id: number): string => `gitlab+deploy-token-${id}`

/** Prefix of the group claims of OpenID. */
export const GROUP_CLAIMS = 'https://gitlab.org/claims/groups'

/** The session cookie, and the alias that is accepted when reading. */
export const SESSION_COOKIES = ['_service_session', '_gitlab_session'] as const

/** Parameter names, alias → neutral. Applied to every request's parameters. */
export const PARAMETER_ALIASES: Readonly<Record<string, string>> = {
  akismet_enabled: 'spamcheck_enabled',
  akismet_api_key: 'spamcheck_api_key',
  jira_connect_application_key: 'tracker_connect_application_key',
  jira_connect_proxy_url: 'tracker_connect_proxy_url',
  plantuml_enabled: 'diagramA_enabled',
  plantuml_url: 'diagramA_url',
  diagramsnet_enabled: 'diagramB_enabled',
  diagramsnet_url: 'diagramB_url',
  jira_connect_public_key_storage_enabled: 'tracker_connect_public_key_storage_enabled',
  gitlab_dedicated_instance: 'dedicated_instance',
  gitlab_environment_toolkit_instance: 'environment_toolkit_instance',
  gitlab_shell_operation_limit: 'shell_operation_limit',
  github_hostname: 'hostA_hostname',
  bitbucket_server_url: 'hostB_server_url',
  bitbucket_server_username: 'hostB_server_username',
  bitbucket_server_project: 'hostB_server_project',
  bitbucket_server_repo: 'hostB_server_repo',
}

/** Default address of the diagram editor in `diagramB_url`. */
export const DIAGRAM_EMBED_ADDRESS = 'https://embed.diagrams.net'

/** The languages of code blocks for the two diagram servers. */
export const DIAGRAM_A_LANGUAGE = 'plantuml'
export const OTHER_DIAGRAM_LANGUAGES: readonly string[] = [
  'actdiag',
  'blockdiag',
  'bpmn',
  'bytefield',
  'c4plantuml',
  'd2',
  'dbml',
  'diagramsnet',
  'ditaa',
  'erd',
  'excalidraw',
  'graphviz',
  'mermaid',
  'nomnoml',
  'nwdiag',
  'packetdiag',
  'pikchr',
  'plantuml',
  'rackdiag',
  'seqdiag',
  'structurizr',
  'svgbob',
  'symbolator',
  'tikz',
  'umlet',
  'vega',
  'vegalite',
  'wavedrom',
  'wireviz',
]

/** A service header under both its names: `serviceHeaders({ 'Blob-Id': … })` → `X-Service-Blob-Id`, `X-Gitlab-Blob-Id`. */
export function serviceHeaders(values: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    headers[`X-Service-${name}`] = value
    headers[`X-Gitlab-${name}`] = value
  }
  return headers
}

/** Paths of the code owners file; the first existing one counts. */
export const CODE_OWNER_FILES = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'] as const

/** Path of a project's changelog configuration. */
export const CHANGELOG_CONFIG_FILE = '.gitlab/changelog_config.yml'

/** Default path of a project's CI configuration; templates have the same extension. */
export const CI_CONFIG_FILE = '.gitlab-ci.yml'

/** Header that carries the token for the service that validates pipelines. */
export const PIPELINE_TOKEN_HEADER = 'X-Gitlab-Token'

/** Name of the list of CI templates. */
export const CI_TEMPLATES = 'gitlab_ci_ymls'

/** Folder of CI templates in the instance's template project. */
export const CUSTOM_CI_FOLDER = 'gitlab-ci'

/** Folders of a project's description templates for issues and merge requests. */
export const DESCRIPTION_TEMPLATE_FOLDERS = {
  issues: '.gitlab/issue_templates',
  merge_requests: '.gitlab/merge_request_templates',
} as const

/** Username of a CI job for git; its token is the password. */
export const JOB_TOKEN_LOGIN = 'gitlab-ci-token'

/** Token prefixes of created runners, registered runners, CI jobs and triggers. */
export const RUNNER_TOKEN_PREFIX = 'glrt-'
export const REGISTERED_RUNNER_TOKEN_PREFIX = 'glrtr-'
export const JOB_TOKEN_PREFIX = 'glcbt-'
export const TRIGGER_TOKEN_PREFIX = 'glptt-'
/** Prefix of the tokens of identity providers. */
export const SCIM_TOKEN_PREFIX = 'glsoat-'
/** Prefix of the tokens with which runners register. */
export const REGISTRATION_TOKEN_PREFIX = 'GR1348941'

/** Headers of the runner protocol (spec ci 1.6, 1.9); runners know them by these names only. */
export const LAST_UPDATE_HEADER = 'X-GitLab-Last-Update'
export const TRACE_INTERVAL_HEADER = 'X-GitLab-Trace-Update-Interval'

/** Variable that scripts check to see that they run in a GitLab pipeline. */
export const CI_MARKER = 'GITLAB_CI'

/** Variables with a job's user, and with the licensed features of the instance (spec ci 11). */
export const USER_VARIABLES = {
  id: 'GITLAB_USER_ID',
  email: 'GITLAB_USER_EMAIL',
  login: 'GITLAB_USER_LOGIN',
  name: 'GITLAB_USER_NAME',
} as const
export const FEATURES_VARIABLE = 'GITLAB_FEATURES'

/** Headers of webhooks (spec administration 3.7, 15); receivers know them by these names only. */
export const EVENT_HEADER = 'X-Gitlab-Event'
export const EVENT_TOKEN_HEADER = 'X-Gitlab-Token'
export const EVENT_INSTANCE_HEADER = 'X-Gitlab-Instance'
export const EVENT_UUID_HEADER = 'X-Gitlab-Event-UUID'
export const WEBHOOK_UUID_HEADER = 'X-Gitlab-Webhook-UUID'

/** User agent of webhooks and integrations. */
export const HOOK_USER_AGENT = 'GitLab/15.6.0'

/** The feature flag strategy with a user list, as existing clients name it. */
export const USER_LIST_STRATEGY = 'gitlabUserList'

/** The integration that only GitLab.com can set up (spec administration 3.3). */
export const VENDOR_CHAT_APP_SLUG = 'gitlab-slack-application'

/** Import sources in the setting `import_sources` and in stored columns. */
export const HOST_A = 'github'
export const HOST_B_SERVER = 'bitbucket_server'
export const ARCHIVE_SOURCE = 'gitlab_project'
export const MIGRATION_SOURCE = 'gitlab_project_migration'
/** The source kind of imports from another GitLab instance. */
export const INSTANCE_SOURCE = 'gitlab'

/** The setting that limits the running imports from GitHub. */
export const HOST_A_JOBS_LIMIT = 'concurrent_github_import_jobs_limit'
/** GitHub's name in sentences of the contract. */
export const HOST_A_NAME = 'GitHub'
/** The API address and the web address of github.com. */
export const HOST_A_API = 'https://api.github.com'
export const HOST_A_WEB = 'https://github.com'
/** Media type of the GitHub API. */
export const HOST_A_MEDIA_TYPE = 'application/vnd.github+json'
/** Hosts of files in comments on github.com. */
export const HOST_A_FILES = ['user-images.githubusercontent.com', 'private-user-images.githubusercontent.com']
/** GitHub's account in place of deleted users. */
export const HOST_A_GHOST = 'ghost'
/** Prefix of branches from forks on GitHub. */
export const HOST_A_FORK_BRANCHES = 'github/fork/'
/** Prefix of temporary branches that an import creates on Bitbucket Server to fetch unreachable commits. */
export const HOST_B_RECOVERY_BRANCHES = 'gitlab/import/pull-request/'

/** Files of an archive with the release that wrote it (spec administration 6.2). */
export const ARCHIVE_VERSION_FILE = 'GITLAB_VERSION'
export const ARCHIVE_REVISION_FILE = 'GITLAB_REVISION'
/** Suffix of imported notes with an unknown author. */
export const IMPORTED_FROM = '(imported from GitLab)'

/** Path aliases of existing clients, and misspelled paths of common client libraries. */
const PATH_ALIASES: readonly (readonly [RegExp, string])[] = [
  [/^\/\/(?=sidekiq\/)/, '/'],
  [/^\/features\/\//, '/features/'],
  [/^\/features\/$/, '/features'],
  [/^\/templates\/Licenses(?=\/)/, '/templates/licenses'],
  [/^\/templates\/(\w+)\/$/, '/templates/$1'],
  [/^\/application\/appearence$/, '/application/appearance'],
  [/^\/import\/github(?=\/|$)/, '/import/hostA'],
  [/^\/import\/bitbucket_server(?=\/|$)/, '/import/hostB_server'],
]

/** The start of a path that may have an alias. Most paths have none. */
const MAY_HAVE_ALIAS = /^\/(?:\/|features\/|templates\/|application\/|import\/)/

/** The canonical path for a path below `/api/v4`. */
export function canonicalPath(path: string): string {
  if (!MAY_HAVE_ALIAS.test(path)) return path
  return PATH_ALIASES.reduce((current, [pattern, replacement]) => current.replace(pattern, replacement), path)
}
