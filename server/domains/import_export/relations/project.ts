import { flagOf, oneOf, textOf, wholeOf } from './checked.ts'
import { relation, type Fields, type Row, type Target } from './relation.ts'

type ProjectRow = Readonly<Record<string, string | number | boolean | null>>

/** Flags that columns keep under the same name. */
const FLAGS = [
  'archived',
  'autoclose_referenced_issues',
  'only_allow_merge_if_all_discussions_are_resolved',
  'only_allow_merge_if_pipeline_succeeds',
  'printing_merge_request_link_enabled',
  'remove_source_branch_after_merge',
  'request_access_enabled',
  'resolve_outdated_diff_discussions',
  'service_desk_enabled',
  'shared_runners_enabled',
] as const
/** Flags of ours that archives of others do not have. */
const OWN_FLAGS = [
  'enforce_auth_checks_on_uploads',
  'lfs_enabled',
  'packages_enabled',
  'show_default_award_emojis',
  'warn_about_potentially_unwanted_characters',
] as const
/** Texts that are null where nobody wrote any; the longest that is taken. */
const TEXTS = {
  issues_template: 65_535,
  merge_requests_template: 65_535,
  suggestion_commit_message: 255,
  merge_commit_template: 500,
  squash_commit_template: 500,
  issue_branch_template: 255,
} as const
/** Flags of approvals, which have a table of their own. */
const APPROVALS = [
  'disable_overriding_approvers_per_merge_request',
  'merge_requests_author_approval',
  'merge_requests_disable_committers_approval',
  'require_password_to_approve',
  'reset_approvals_on_push',
] as const
const VISIBILITY_LEVELS = { private: 0, internal: 10, public: 20 } as const
const SQUASH = ['never', 'always', 'default_on', 'default_off'] as const

/**
 * What a project itself is: `tree/project.json`. Its visibility is decided where it is made, by what its place allows (spec
 * administration 6.5).
 */
export const project = relation({
  name: 'project',
  of: ['project'],
  single: true,
  *records({ db, owner }) {
    const row = db.one<ProjectRow>('SELECT * FROM projects WHERE id = ?', owner.id)
    if (!row) return
    const approvals = db.one<ProjectRow>(
      'SELECT * FROM project_approval_settings WHERE project_id = ?',
      owner.id,
    )
    const flag = (name: string) => [name, row[name] === true] as const
    yield {
      description: row['description'] ?? null,
      visibility_level: VISIBILITY_LEVELS[row['visibility'] as keyof typeof VISIBILITY_LEVELS],
      approvals_before_merge: row['approvals_before_merge']!,
      auto_cancel_pending_pipelines: row['auto_cancel_pending_pipelines']!,
      build_allow_git_fetch: row['build_git_strategy'] === 'fetch',
      build_timeout: row['build_timeout']!,
      ci_config_path: row['ci_config_path'] ?? null,
      default_branch: row['default_branch']!,
      delete_error: null,
      emails_disabled: row['emails_disabled'] ?? null,
      external_authorization_classification_label: row['external_authorization_classification_label']!,
      has_external_issue_tracker: false,
      has_external_wiki: false,
      jobs_cache_index: null,
      last_repository_check_failed: null,
      merge_requests_ff_only_enabled: row['merge_method'] === 'ff',
      merge_requests_rebase_enabled: row['merge_method'] === 'rebase_merge',
      pages_https_only: true,
      pending_delete: false,
      public_builds: row['public_jobs'] === true,
      squash_option: row['squash_option']!,
      allow_merge_on_skipped_pipeline: row['allow_merge_on_skipped_pipeline'] ?? null,
      ...Object.fromEntries([...FLAGS, ...OWN_FLAGS].map(flag)),
      ...Object.fromEntries(Object.keys(TEXTS).map((name) => [name, row[name] ?? null])),
      ...Object.fromEntries(APPROVALS.map((name) => [name, approvals?.[name] ?? defaultOf(name)])),
    }
  },
  count: () => 1,
  take: takeProject,
})

const defaultOf = (name: string): boolean => name === 'reset_approvals_on_push'

function takeProject(record: Fields, into: Target): void {
  into.update('projects', into.owner.id, { ...flagsOf(record), ...textsOf(record), ...rulesOf(record) })
  const given = APPROVALS.filter((name) => typeof record[name] === 'boolean')
  if (given.length === 0) return
  into.link('project_approval_settings', {
    project_id: into.owner.id,
    ...Object.fromEntries(given.map((name) => [name, flagOf(record, name)])),
  })
}

function flagsOf(record: Fields): Row {
  const given = [...FLAGS, ...OWN_FLAGS].filter((name) => typeof record[name] === 'boolean')
  const { public_builds, allow_merge_on_skipped_pipeline: skipped, emails_disabled: quiet } = record
  return {
    ...Object.fromEntries(given.map((name) => [name, flagOf(record, name)])),
    ...(typeof public_builds === 'boolean' ? { public_jobs: flagOf(record, 'public_builds') } : {}),
    ...(typeof skipped === 'boolean' ? { allow_merge_on_skipped_pipeline: skipped } : {}),
    ...(typeof quiet === 'boolean' ? { emails_disabled: quiet } : {}),
  }
}

function textsOf(record: Fields): Row {
  const found: Record<string, string | null> = {}
  for (const [name, max] of Object.entries(TEXTS)) if (name in record) found[name] = textOf(record, name, max)
  if ('description' in record) found['description'] = textOf(record, 'description', 2000)
  const label = textOf(record, 'external_authorization_classification_label', 255)
  if (label !== null) found['external_authorization_classification_label'] = label
  const path = textOf(record, 'ci_config_path', 255)
  // A path within the repository, and nothing that leads out of it.
  if (path !== null && !path.startsWith('/') && !path.split('/').includes('..'))
    found['ci_config_path'] = path
  return found
}

function rulesOf(record: Fields): Row {
  const method = flagOf(record, 'merge_requests_ff_only_enabled')
    ? 'ff'
    : flagOf(record, 'merge_requests_rebase_enabled')
      ? 'rebase_merge'
      : 'merge'
  const approvals = wholeOf(record, 'approvals_before_merge', { min: 0, max: 1000 })
  const timeout = wholeOf(record, 'build_timeout', { min: 600, max: 2_592_000 })
  const cancels = record['auto_cancel_pending_pipelines']
  return {
    merge_method: method,
    squash_option: oneOf(record, 'squash_option', SQUASH, 'default_off'),
    // Older archives have a number.
    auto_cancel_pending_pipelines: cancels === 'disabled' || cancels === 0 ? 'disabled' : 'enabled',
    build_git_strategy: record['build_allow_git_fetch'] === false ? 'clone' : 'fetch',
    ...(approvals === null ? {} : { approvals_before_merge: approvals }),
    ...(timeout === null ? {} : { build_timeout: timeout }),
  }
}
