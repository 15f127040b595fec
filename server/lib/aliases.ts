/**
 * The one table of wire aliases (spec core 10, administration 15, ci 11): the neutral word of the contract beside the
 * identifier that existing clients send or read. Neutral names go out; aliases are accepted wherever the neutral name
 * is, and headers that clients need carry the alias too.
 */

/** Name that clients of this API family expect in a few literal places (health text, git user agents, token prefix). */
export const SERVICE_NAME = 'GitLab'

/** Prefix of new personal, project, group and impersonation tokens unless the setting says otherwise. */
export const TOKEN_PREFIX = 'glpat-'

/** Where projects can be imported from, as the setting `import_sources` names it (spec administration 1.2). */
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

/** Where commits are read from, as signatures say it. */
export const COMMIT_SOURCE = 'gitaly'

/** Default name that a deploy token signs in to git with. */
export const deployTokenName = (id: number): string => `gitlab+deploy-token-${id}`

/** What the names of the group claims of OpenID begin with. */
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

/** Where the editor of diagrams is loaded from that `diagramB_url` names unless it is changed. */
export const DIAGRAM_EMBED_ADDRESS = 'https://embed.diagrams.net'

/** The language of code blocks that the first server of diagrams draws, and those of the other one. */
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
  const both: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    both[`X-Service-${name}`] = value
    both[`X-Gitlab-${name}`] = value
  }
  return both
}

/** Where the file of code owners may lie; the first one counts. */
export const CODE_OWNER_FILES = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'] as const

/** Where a project says how its changelog looks. */
export const CHANGELOG_CONFIG_FILE = '.gitlab/changelog_config.yml'

/** Where a project's pipelines are described unless it says otherwise; templates end alike. */
export const CI_CONFIG_FILE = '.gitlab-ci.yml'

/** Header that carries the token for the service that validates pipelines. */
export const PIPELINE_TOKEN_HEADER = 'X-Gitlab-Token'

/** What the list of templates for pipelines is called. */
export const CI_TEMPLATES = 'gitlab_ci_ymls'

/** Where the project with templates of the instance keeps those for pipelines. */
export const CUSTOM_CI_FOLDER = 'gitlab-ci'

/** Where a project keeps descriptions to begin issues and merge requests with. */
export const DESCRIPTION_TEMPLATE_FOLDERS = {
  issues: '.gitlab/issue_templates',
  merge_requests: '.gitlab/merge_request_templates',
} as const

/** Name that a job signs in to git with; its token is the password. */
export const JOB_TOKEN_LOGIN = 'gitlab-ci-token'

/** Prefixes of the tokens of runners that people made, of runners that registered, of jobs and of triggers. */
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

/** Variable by which scripts tell that they run in a pipeline of this family of forges. */
export const CI_MARKER = 'GITLAB_CI'

/** Variables that tell a job for whom it runs, and what the instance is licensed for (spec ci 11). */
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

/** Who webhooks and integrations say they are. */
export const HOOK_USER_AGENT = 'GitLab/15.6.0'

/** The strategy of feature flags that takes its users from a list, as existing clients name it. */
export const USER_LIST_STRATEGY = 'gitlabUserList'

/** The integration that the vendor of the contract alone can set up (spec administration 3.3). */
export const VENDOR_CHAT_APP_SLUG = 'gitlab-slack-application'

/** How the sources of projects are named in the setting `import_sources` and in columns that keep what came from them. */
export const HOST_A = 'github'
export const HOST_B_SERVER = 'bitbucket_server'
export const ARCHIVE_SOURCE = 'gitlab_project'
export const MIGRATION_SOURCE = 'gitlab_project_migration'
/** How runs name the kind of instance that they take things over from. */
export const INSTANCE_SOURCE = 'gitlab'

/** The setting that says how many imports from host type A may be at work at once. */
export const HOST_A_JOBS_LIMIT = 'concurrent_github_import_jobs_limit'
/** What host type A is called in sentences of the contract. */
export const HOST_A_NAME = 'GitHub'
/** The public host of type A: where its API answers, and where its pages and repositories are. */
export const HOST_A_API = 'https://api.github.com'
export const HOST_A_WEB = 'https://github.com'
/** Media type in which host type A speaks. */
export const HOST_A_MEDIA_TYPE = 'application/vnd.github+json'
/** Where files of comments lie on the public host of type A. */
export const HOST_A_FILES = ['user-images.githubusercontent.com', 'private-user-images.githubusercontent.com']
/** The account that stands there for people who are gone. */
export const HOST_A_GHOST = 'ghost'
/** What branches of forks begin with that come from host type A. */
export const HOST_A_FORK_BRANCHES = 'github/fork/'
/** Branches that an import makes at host type B for a moment, to get at commits that nothing leads to any more. */
export const HOST_B_RECOVERY_BRANCHES = 'gitlab/import/pull-request/'

/** Files of an archive that say which release wrote it (spec administration 6.2). */
export const ARCHIVE_VERSION_FILE = 'GITLAB_VERSION'
export const ARCHIVE_REVISION_FILE = 'GITLAB_REVISION'
/** Where notes of people that nobody knows here came from. */
export const IMPORTED_FROM = '(imported from GitLab)'

/** Addresses as existing clients name them, and how libraries write some: with a slash too many or another letter. */
const MISSPELT: readonly (readonly [RegExp, string])[] = [
  [/^\/\/(?=sidekiq\/)/, '/'],
  [/^\/features\/\//, '/features/'],
  [/^\/features\/$/, '/features'],
  [/^\/templates\/Licenses(?=\/)/, '/templates/licenses'],
  [/^\/templates\/(\w+)\/$/, '/templates/$1'],
  [/^\/application\/appearence$/, '/application/appearance'],
  [/^\/import\/github(?=\/|$)/, '/import/hostA'],
  [/^\/import\/bitbucket_server(?=\/|$)/, '/import/hostB_server'],
]

/** A path below the version as it is meant. */
export function pathAsMeant(path: string): string {
  return MISSPELT.reduce((meant, [wrong, right]) => meant.replace(wrong, right), path)
}
