import { flagOf, oneOf, textOf, timeOf } from './checked.ts'
import * as field from './columns.ts'
import {
  columnsOf,
  recordOf,
  VISIBILITY_NUMBERS,
  type ColumnMap,
  type Field,
  type Stored,
} from './columns.ts'
import { relation, type Fields, type Relation } from './relation.ts'
import { approvalSettings, projectRow } from './store.ts'

/** A setting that an archive may leave out. */
const givenFlag = (): Field => field.ifNotNull(field.maybeFlag())
/** A template that an archive may leave out, or set to null. */
const givenText = (max: number): Field => field.ifPresent(field.text(max))

/** Attributes of the project. The visibility is set where the project is created (spec administration 6.5). */
const FIELDS: ColumnMap = {
  description: givenText(2000),
  visibility_level: field.written((row) => VISIBILITY_NUMBERS[String(row['visibility'])]!),
  approvals_before_merge: field.ifNotNull(field.integer({ min: 0, max: 1000 })),
  auto_cancel_pending_pipelines: field.column((record, name) => {
    // Older archives have a number.
    return record[name] === 'disabled' || record[name] === 0 ? 'disabled' : 'enabled'
  }),
  build_allow_git_fetch: {
    write: (row) => row['build_git_strategy'] === 'fetch',
    read: (record, _into, name) => ({ build_git_strategy: record[name] === false ? 'clone' : 'fetch' }),
  },
  build_timeout: field.ifNotNull(field.integer({ min: 600, max: 2_592_000 })),
  ci_config_path: field.ifNotNull(
    field.column((record, name) => {
      const path = textOf(record, name, 255)
      // Only a path within the repository.
      return path !== null && !path.startsWith('/') && !path.split('/').includes('..') ? path : null
    }),
  ),
  default_branch: field.shown(),
  delete_error: field.always(null),
  emails_disabled: givenFlag(),
  external_authorization_classification_label: field.ifNotNull(field.text(255)),
  has_external_issue_tracker: field.always(false),
  has_external_wiki: field.always(false),
  jobs_cache_index: field.always(null),
  last_repository_check_failed: field.always(null),
  merge_requests_ff_only_enabled: {
    write: (row) => row['merge_method'] === 'ff',
    read: (record) => ({ merge_method: mergeMethodOf(record) }),
  },
  merge_requests_rebase_enabled: field.written((row) => row['merge_method'] === 'rebase_merge'),
  pages_https_only: field.always(true),
  pending_delete: field.always(false),
  public_builds: field.ifNotNull(field.under('public_jobs', field.maybeFlag())),
  squash_option: field.choice(['never', 'always', 'default_on', 'default_off'], 'default_off'),
  allow_merge_on_skipped_pipeline: givenFlag(),
  archived: givenFlag(),
  autoclose_referenced_issues: givenFlag(),
  only_allow_merge_if_all_discussions_are_resolved: givenFlag(),
  only_allow_merge_if_pipeline_succeeds: givenFlag(),
  printing_merge_request_link_enabled: givenFlag(),
  remove_source_branch_after_merge: givenFlag(),
  request_access_enabled: givenFlag(),
  resolve_outdated_diff_discussions: givenFlag(),
  service_desk_enabled: givenFlag(),
  shared_runners_enabled: givenFlag(),
  // Archives of other instances do not have these.
  enforce_auth_checks_on_uploads: givenFlag(),
  lfs_enabled: givenFlag(),
  packages_enabled: givenFlag(),
  show_default_award_emojis: givenFlag(),
  warn_about_potentially_unwanted_characters: givenFlag(),
  issues_template: givenText(65_535),
  merge_requests_template: givenText(65_535),
  suggestion_commit_message: givenText(255),
  merge_commit_template: givenText(500),
  squash_commit_template: givenText(500),
  issue_branch_template: givenText(255),
}

/** Settings of approvals, which have a table of their own. */
const APPROVALS: ColumnMap = {
  disable_overriding_approvers_per_merge_request: givenFlag(),
  merge_requests_author_approval: givenFlag(),
  merge_requests_disable_committers_approval: givenFlag(),
  require_password_to_approve: givenFlag(),
  reset_approvals_on_push: givenFlag(),
}
const APPROVALS_UNCHANGED: Stored = {
  disable_overriding_approvers_per_merge_request: false,
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: false,
  require_password_to_approve: false,
  reset_approvals_on_push: true,
}

/** The project itself: `tree/project.json`. */
export const project = relation({
  name: 'project',
  of: ['project'],
  single: true,
  *records(from) {
    const row = projectRow(from)
    if (!row) return
    const approvals = approvalSettings(from) ?? APPROVALS_UNCHANGED
    yield { ...recordOf(FIELDS, row, from), ...recordOf(APPROVALS, approvals, from) }
  },
  count: () => 1,
  importRecord: (record, into) => {
    into.update('projects', into.owner.id, columnsOf(FIELDS, record, into))
    const approvals = columnsOf(APPROVALS, record, into)
    if (Object.keys(approvals).length > 0)
      into.link('project_approval_settings', { project_id: into.owner.id, ...approvals })
  },
})

function mergeMethodOf(record: Fields): string {
  if (flagOf(record, 'merge_requests_ff_only_enabled')) return 'ff'
  return flagOf(record, 'merge_requests_rebase_enabled') ? 'rebase_merge' : 'merge'
}

/** A relation of columns of the project's row. `has`: whether there is anything to write. */
function settings(name: string, fields: ColumnMap, has: (row: Stored) => boolean = () => true): Relation {
  return relation({
    name,
    of: ['project'],
    single: true,
    *records(from) {
      const row = projectRow(from)
      if (row && has(row)) yield recordOf(fields, row, from)
    },
    count: () => 1,
    importRecord: (record, into) => into.update('projects', into.owner.id, columnsOf(fields, record, into)),
  })
}

/** Features with an access level; the others are open to all users who see the project. */
const FEATURES = [
  'merge_requests',
  'issues',
  'wiki',
  'snippets',
  'builds',
  'repository',
  'pages',
  'forking',
  'analytics',
  'operations',
  'security_and_compliance',
  'container_registry',
  'package_registry',
  'environments',
  'feature_flags',
  'releases',
  'infrastructure',
  'monitor',
  'requirements',
]
/** Features that can be public in a project that is not. */
const CAN_BE_PUBLIC = ['pages', 'package_registry']
/** The numbers of the levels in archives (spec administration 6.3). */
const LEVELS: Readonly<Record<string, number>> = { disabled: 0, private: 10, enabled: 20, public: 30 }

function accessLevel(canBePublic: boolean): Field {
  return {
    write: (row, _from, name) => LEVELS[String(row[name])]!,
    read: (record, _into, name) => {
      const level = Object.keys(LEVELS).find((key) => LEVELS[key] === record[name])
      if (level === undefined) return {}
      return { [name]: level === 'public' && !canBePublic ? 'enabled' : level }
    },
  }
}

/** The access levels of the features of a project. */
export const project_feature = settings('project_feature', {
  ...Object.fromEntries(
    FEATURES.map((name) => [`${name}_access_level`, accessLevel(CAN_BE_PUBLIC.includes(name))]),
  ),
  metrics_dashboard_access_level: field.always(LEVELS['private']!),
  created_at: field.shown(),
  updated_at: field.shown(),
})

const givenFlagOf = (name: string): Field => field.ifNotNull(field.under(name, field.maybeFlag()))

/** CI/CD settings of a project. Archives of other instances have only the first one. */
export const ci_cd_settings = settings('ci_cd_settings', {
  group_runners_enabled: givenFlag(),
  forward_deployment_enabled: givenFlagOf('ci_forward_deployment_enabled'),
  separated_caches: givenFlagOf('ci_separated_caches'),
  job_token_scope_enabled: givenFlagOf('ci_job_token_scope_enabled'),
  allow_fork_pipelines_to_run_in_parent_project: givenFlagOf(
    'ci_allow_fork_pipelines_to_run_in_parent_project',
  ),
  keep_latest_artifact: givenFlag(),
  restrict_user_defined_variables: givenFlag(),
  merge_pipelines_enabled: givenFlag(),
  merge_trains_enabled: givenFlag(),
  runner_token_expiration_interval: field.ifNotNull(field.integer({ min: 1 })),
  default_git_depth: field.ifPresent(
    field.under('ci_default_git_depth', field.integer({ min: 0, max: 1000 })),
  ),
})

/** Whether pipelines run without a configuration, and how they deploy. */
export const auto_devops = settings(
  'auto_devops',
  {
    enabled: field.under('auto_devops_enabled', field.maybeFlag()),
    deploy_strategy: field.under(
      'auto_devops_deploy_strategy',
      field.choice(['continuous', 'manual', 'timed_incremental'], 'continuous'),
    ),
    created_at: field.shown(),
    updated_at: field.shown(),
  },
  (row) => row['auto_devops_enabled'] !== null || row['auto_devops_deploy_strategy'] !== 'continuous',
)

/** A new policy (spec core 1.2). */
const POLICY: Stored = {
  cadence: '1d',
  enabled: false,
  keep_n: 10,
  older_than: '90d',
  name_regex: '.*',
  name_regex_keep: null,
}

/** The fields of a policy; a column of the project keeps it as JSON. */
const POLICY_FIELDS: ColumnMap = {
  cadence: field.choice(['1d', '7d', '14d', '1month', '3month'], '1d'),
  enabled: field.flag(),
  keep_n: field.integer({ min: 1, max: 100 }),
  older_than: field.column((record, name) =>
    record[name] == null ? null : oneOf(record, name, ['7d', '14d', '30d', '60d', '90d'], '90d'),
  ),
  name_regex: field.text(255),
  name_regex_keep: field.text(255),
}

/** The cleanup policy of the container registry. */
export const container_expiration_policy = relation({
  name: 'container_expiration_policy',
  of: ['project'],
  single: true,
  *records(from) {
    const row = projectRow(from)
    if (!row || row['container_expiration_policy'] === '{}') return
    const policy = { ...POLICY, ...(JSON.parse(String(row['container_expiration_policy'])) as Stored) }
    const { created_at, updated_at } = row
    yield {
      ...recordOf(POLICY_FIELDS, policy, from),
      next_run_at: null,
      created_at: created_at!,
      updated_at: updated_at!,
    }
  },
  count: () => 1,
  importRecord: (record, into) => {
    timeOf(record, 'next_run_at')
    const container_expiration_policy = JSON.stringify(columnsOf(POLICY_FIELDS, record, into))
    into.update('projects', into.owner.id, { container_expiration_policy })
  },
})
