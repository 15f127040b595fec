import { RE2JS } from 're2js'

import type { Param } from '../../http/param.ts'
import { bool, choice, hash, int, list, text } from '../../http/params.ts'
import { avatarParam } from '../storage/index.ts'
import { FEATURES, type Feature, type ProjectColumns } from './types.ts'
import { invalid } from '../../lib/fail.ts'

const visibility = () => choice('private', 'internal', 'public')

const flag = (description: string) => bool().optional().describe(description)

const template = (description: string) => text({ max: 500 }).nullable().optional().describe(description)

const longText = (description: string) => text({ max: 65_536 }).nullable().optional().describe(description)

/** Features that may be public in a project that is not. */
const PUBLISHABLE: readonly Feature[] = ['pages', 'package_registry']

function levelParam(feature: Feature): Param<string | undefined> {
  const levels = PUBLISHABLE.includes(feature)
    ? choice('disabled', 'private', 'enabled', 'public')
    : choice('disabled', 'private', 'enabled')
  return levels.optional().describe(`Who can use ${feature.replaceAll('_', ' ')}`)
}

const levels = Object.fromEntries(FEATURES.map((feature) => [`${feature}_access_level`, levelParam(feature)]))

/** Deprecated boolean parameters, with the feature of the access level that each one sets. */
export const BOOLEAN_FORMS: Readonly<Record<string, Feature>> = {
  issues_enabled: 'issues',
  merge_requests_enabled: 'merge_requests',
  wiki_enabled: 'wiki',
  jobs_enabled: 'builds',
  snippets_enabled: 'snippets',
  container_registry_enabled: 'container_registry',
  requirements_enabled: 'requirements',
  security_and_compliance_enabled: 'security_and_compliance',
}

const switches = Object.fromEntries(
  Object.entries(BOOLEAN_FORMS).map(([name, feature]) => [
    name,
    flag(`Deprecated: use \`${feature}_access_level\``),
  ]),
)

/** Settings with a column of the same name, accepted by create and edit (spec core 1.3). */
export const sharedColumns = {
  description: text().nullable().optional().describe('The description of the project'),
  visibility: visibility().optional().describe('Visibility of the project'),
  ...levels,
  emails_disabled: bool().nullable().optional().describe('Disable email notifications'),
  show_default_award_emojis: flag('Show the default emoji reactions'),
  warn_about_potentially_unwanted_characters: flag('Warn about potentially unwanted characters'),
  shared_runners_enabled: flag('Enable shared runners for the project'),
  group_runners_enabled: flag('Enable group runners for the project'),
  lfs_enabled: flag('Enable Git LFS'),
  packages_enabled: flag('Enable the package registry'),
  request_access_enabled: flag('Allow users to request access'),
  resolve_outdated_diff_discussions: flag('Resolve threads on lines that a push changes'),
  only_allow_merge_if_pipeline_succeeds: flag('Whether merging requires a successful pipeline'),
  allow_merge_on_skipped_pipeline: bool()
    .nullable()
    .optional()
    .describe('Allow merging with a skipped pipeline'),
  only_allow_merge_if_all_discussions_are_resolved: flag(
    'Whether merging requires that all threads are resolved',
  ),
  remove_source_branch_after_merge: flag(
    'Delete the source branch of new merge requests after the merge by default',
  ),
  printing_merge_request_link_enabled: flag(
    'Show a link to create a merge request after a push from the command line',
  ),
  merge_method: choice('merge', 'rebase_merge', 'ff').optional().describe('How merge requests are merged'),
  squash_option: choice('never', 'always', 'default_on', 'default_off')
    .optional()
    .describe('Whether commits are squashed'),
  mr_default_target_self: flag(
    'Whether merge requests of a fork target the fork itself by default, not its source',
  ),
  suggestion_commit_message: template('Message of commits that apply suggestions'),
  merge_commit_template: template('Message of merge commits'),
  squash_commit_template: template('Message of squash commits'),
  issue_branch_template: template('Template for the names of branches that are created from issues'),
  autoclose_referenced_issues: flag(
    'Close the issues that commits on the default branch and merge requests reference',
  ),
  build_git_strategy: choice('fetch', 'clone').optional().describe('The Git strategy of jobs'),
  build_timeout: int({ min: 600, max: 2_592_000 }).optional().describe('The timeout of a job in seconds'),
  auto_cancel_pending_pipelines: choice('enabled', 'disabled')
    .optional()
    .describe('Whether a new push cancels pending pipelines'),
  ci_config_path: text({ max: 255 }).nullable().optional().describe('Path of the CI configuration'),
  auto_devops_enabled: bool().nullable().optional().describe('Enable Auto DevOps for the project'),
  auto_devops_deploy_strategy: choice('continuous', 'manual', 'timed_incremental')
    .optional()
    .describe('The deployment strategy of Auto DevOps'),
  approvals_before_merge: int({ min: 0, max: 100 })
    .optional()
    .describe('Number of approvals that a merge request requires'),
  external_authorization_classification_label: text({ max: 255 })
    .optional()
    .describe('The classification label for external authorization'),
  repository_storage: text({ max: 255, notEmpty: true })
    .optional()
    .describe('The storage of the repository. Administrators only'),
  mirror: flag('Enable pull mirroring from `import_url`'),
  mirror_trigger_builds: flag('Start pipelines for pulled changes'),
}

/** Settings that only edit accepts. */
export const editColumns = {
  service_desk_enabled: flag('Enable issues by email'),
  ci_default_git_depth: int({ min: 0, max: 1000 })
    .nullable()
    .optional()
    .describe('The number of commits that jobs fetch. 0 fetches all'),
  keep_latest_artifact: flag('Keep the artifacts of the last successful pipeline'),
  ci_forward_deployment_enabled: flag('Prevent older deployments from replacing newer ones'),
  ci_separated_caches: flag('Separate the caches of protected branches from others'),
  ci_job_token_scope_enabled: flag('Limit the access of job tokens to the projects in the allowlist'),
  ci_allow_fork_pipelines_to_run_in_parent_project: flag(
    'Allow members to run pipelines of merge requests from forks in this project',
  ),
  restrict_user_defined_variables: flag('Allow only maintainers to pass variables to pipelines'),
  enforce_auth_checks_on_uploads: flag('Require authentication to view uploads'),
  runner_token_expiration_interval: int({ min: 0 })
    .nullable()
    .optional()
    .describe('The lifetime of runner tokens in seconds'),
  mirror_user_id: int()
    .optional()
    .describe('The ID of the user of the pull mirror. Only administrators may set other users'),
  only_mirror_protected_branches: flag('Pull protected branches only'),
  mirror_overwrites_diverged_branches: flag('Overwrite diverged branches with pulled changes'),
  issues_template: longText('Default description of new issues'),
  merge_requests_template: longText('Default description of new merge requests'),
  merge_pipelines_enabled: flag('Enable merged results pipelines'),
  merge_trains_enabled: flag('Enable merge trains'),
}

/** The cleanup policy of the container registry. Absent values keep their stored ones. */
const expirationPolicy = hash({
  cadence: choice('1d', '7d', '14d', '1month', '3month').optional(),
  enabled: bool().optional(),
  keep_n: int({ min: 0, max: 100 }).nullable().optional(),
  older_than: choice('7d', '14d', '30d', '60d', '90d').nullable().optional(),
  name_regex: text({ max: 255 }).nullable().optional(),
  name_regex_delete: text({ max: 255 }).nullable().optional(),
  name_regex_keep: text({ max: 255 }).nullable().optional(),
})

const topics = list(text({ max: 255 }))
  .optional()
  .describe('The topics of the project')

/** Settings with a column of another name or type. */
const convertedSettings = {
  ...switches,
  topics,
  tag_list: list(text({ max: 255 }))
    .optional()
    .describe('Deprecated: use `topics`'),
  public_builds: flag('Allow everyone who can see the project to view pipelines and job logs'),
  public_jobs: flag('Same as `public_builds`'),
  container_expiration_policy_attributes: expirationPolicy
    .optional()
    .describe('The cleanup policy of the container registry'),
  avatar: avatarParam(),
}

/** Settings of a create request. */
export const createSettings = { ...sharedColumns, ...convertedSettings }

/** Settings of an edit request. */
export const editSettings = {
  ...sharedColumns,
  ...editColumns,
  ...convertedSettings,
  import_url: text({ max: 2048 }).optional().describe('Address to pull from'),
}

const COLUMN_NAMES = new Set([...Object.keys(sharedColumns), ...Object.keys(editColumns)])

/**
 * Returns topics as a JSON array for their column: trimmed, and unique regardless of case. Throws 400 for line
 * breaks.
 */
function topicsOf(words: readonly string[]): string {
  if (words.some((word) => /[\r\n]/.test(word.trim())))
    throw invalid({ topics: 'has characters that are not allowed' })
  const byName = new Map<string, string>()
  for (const word of words.map((item) => item.trim())) {
    if (word !== '' && !byName.has(word.toLowerCase())) byName.set(word.toLowerCase(), word)
  }
  return JSON.stringify([...byName.values()].sort())
}

function policyOf(input: Readonly<Record<string, unknown>>, stored: string): string {
  const { name_regex_delete, ...rest } = input
  const changes: Record<string, unknown> = {
    ...rest,
    ...(name_regex_delete === undefined ? {} : { name_regex: name_regex_delete }),
  }
  for (const name of ['name_regex', 'name_regex_keep']) checkPattern(name, changes[name])
  return JSON.stringify({ ...(JSON.parse(stored) as object), ...changes })
}

/** Throws 400 for an invalid regular expression, which would stop every cleanup. */
function checkPattern(name: string, pattern: unknown): void {
  if (typeof pattern !== 'string') return
  try {
    RE2JS.compile(pattern)
  } catch {
    throw invalid({ [`container_expiration_policy.${name}`]: 'not valid RE2 syntax' })
  }
}

/**
 * Returns the columns of the settings in a request. Absent settings are not in the result. `stored` is the current
 * cleanup policy.
 */
export function settingsToColumns(
  input: Readonly<Record<string, unknown>>,
  stored = '{}',
): Partial<ProjectColumns> {
  const changes: Record<string, unknown> = {}
  for (const [name, feature] of Object.entries(BOOLEAN_FORMS)) {
    if (input[name] !== undefined) changes[`${feature}_access_level`] = input[name] ? 'enabled' : 'disabled'
  }
  // A level takes precedence over its boolean form.
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined && COLUMN_NAMES.has(name)) changes[name] = value
  }
  const words = (input['topics'] ?? input['tag_list']) as string[] | undefined
  if (words) changes['topics'] = topicsOf(words)
  const publicJobs = input['public_builds'] ?? input['public_jobs']
  if (publicJobs !== undefined) changes['public_jobs'] = publicJobs
  const policy = input['container_expiration_policy_attributes'] as Record<string, unknown> | undefined
  if (policy) changes['container_expiration_policy'] = policyOf(policy, stored)
  checkCiPath(changes['ci_config_path'])
  return changes as Partial<ProjectColumns>
}

/** Throws 400 for a path that leads out of the repository; a URL is allowed. */
function checkCiPath(path: unknown): void {
  if (typeof path !== 'string' || path === '') return
  if (path.split('/').includes('..')) throw invalid({ ci_config_path: "can't include directory traversal." })
  if (path.startsWith('/')) throw invalid({ ci_config_path: "can't include leading slash." })
}
