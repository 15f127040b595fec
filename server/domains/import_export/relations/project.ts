import { flagOf, choiceOf, textOf, timeOf } from './checked.ts'
import * as field from './columns.ts'
import {
  columnsOf,
  recordOf,
  VISIBILITY_NUMBERS,
  type ColumnMap,
  type Field,
  type StoredRow,
} from './columns.ts'
import { relation, type Fields, type Relation } from './relation.ts'
import { approvalSettings, projectRow } from './store.ts'

/** A boolean setting that archives may omit. */
const presentFlag = (): Field => field.ifNotNull(field.optionalFlag())
/** A text setting that archives may omit or set to null. */
const presentText = (max: number): Field => field.ifPresent(field.text(max))

/** Attributes of the project. The visibility is imported separately (spec administration 6.5). */
const FIELDS: ColumnMap = {
  description: presentText(2000),
  visibility_level: field.computed((row) => VISIBILITY_NUMBERS[String(row['visibility'])]!),
  approvals_before_merge: field.ifNotNull(field.integer({ min: 0, max: 1000 })),
  auto_cancel_pending_pipelines: field.column((record, name) => {
    // Older archives contain a number.
    return record[name] === 'disabled' || record[name] === 0 ? 'disabled' : 'enabled'
  }),
  build_allow_git_fetch: {
    write: (row) => row['build_git_strategy'] === 'fetch',
    read: (record, _target, name) => ({ build_git_strategy: record[name] === false ? 'clone' : 'fetch' }),
  },
  build_timeout: field.ifNotNull(field.integer({ min: 600, max: 2_592_000 })),
  ci_config_path: field.ifNotNull(
    field.column((record, name) => {
      const path = textOf(record, name, 255)
      // Only paths inside the repository are imported.
      return path !== null && !path.startsWith('/') && !path.split('/').includes('..') ? path : null
    }),
  ),
  default_branch: field.exported(),
  delete_error: field.constant(null),
  emails_disabled: presentFlag(),
  external_authorization_classification_label: field.ifNotNull(field.text(255)),
  has_external_issue_tracker: field.constant(false),
  has_external_wiki: field.constant(false),
  jobs_cache_index: field.constant(null),
  last_repository_check_failed: field.constant(null),
  merge_requests_ff_only_enabled: {
    write: (row) => row['merge_method'] === 'ff',
    read: (record) => ({ merge_method: mergeMethodOf(record) }),
  },
  merge_requests_rebase_enabled: field.computed((row) => row['merge_method'] === 'rebase_merge'),
  pages_https_only: field.constant(true),
  pending_delete: field.constant(false),
  public_builds: field.ifNotNull(field.otherColumn('public_jobs', field.optionalFlag())),
  squash_option: field.choice(['never', 'always', 'default_on', 'default_off'], 'default_off'),
  allow_merge_on_skipped_pipeline: presentFlag(),
  archived: presentFlag(),
  autoclose_referenced_issues: presentFlag(),
  only_allow_merge_if_all_discussions_are_resolved: presentFlag(),
  only_allow_merge_if_pipeline_succeeds: presentFlag(),
  printing_merge_request_link_enabled: presentFlag(),
  remove_source_branch_after_merge: presentFlag(),
  request_access_enabled: presentFlag(),
  resolve_outdated_diff_discussions: presentFlag(),
  service_desk_enabled: presentFlag(),
  shared_runners_enabled: presentFlag(),
  // Only archives of Deskforge contain these settings.
  enforce_auth_checks_on_uploads: presentFlag(),
  lfs_enabled: presentFlag(),
  packages_enabled: presentFlag(),
  show_default_award_emojis: presentFlag(),
  warn_about_potentially_unwanted_characters: presentFlag(),
  issues_template: presentText(65_535),
  merge_requests_template: presentText(65_535),
  suggestion_commit_message: presentText(255),
  merge_commit_template: presentText(500),
  squash_commit_template: presentText(500),
  issue_branch_template: presentText(255),
}

/** Settings of approvals, which are in a separate table. */
const APPROVAL_FIELDS: ColumnMap = {
  disable_overriding_approvers_per_merge_request: presentFlag(),
  merge_requests_author_approval: presentFlag(),
  merge_requests_disable_committers_approval: presentFlag(),
  require_password_to_approve: presentFlag(),
  reset_approvals_on_push: presentFlag(),
}
const DEFAULT_APPROVALS: StoredRow = {
  disable_overriding_approvers_per_merge_request: false,
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: false,
  require_password_to_approve: false,
  reset_approvals_on_push: true,
}

/** The project itself: `tree/project.json`. */
export const project = relation({
  name: 'project',
  ownerKinds: ['project'],
  single: true,
  *records(source) {
    const row = projectRow(source)
    if (!row) return
    const approvals = approvalSettings(source) ?? DEFAULT_APPROVALS
    yield { ...recordOf(FIELDS, row, source), ...recordOf(APPROVAL_FIELDS, approvals, source) }
  },
  count: () => 1,
  importRecord: (record, target) => {
    target.update('projects', target.owner.id, columnsOf(FIELDS, record, target))
    const approvals = columnsOf(APPROVAL_FIELDS, record, target)
    if (Object.keys(approvals).length > 0)
      target.link('project_approval_settings', { project_id: target.owner.id, ...approvals })
  },
})

function mergeMethodOf(record: Fields): string {
  if (flagOf(record, 'merge_requests_ff_only_enabled')) return 'ff'
  return flagOf(record, 'merge_requests_rebase_enabled') ? 'rebase_merge' : 'merge'
}

/** A relation for columns of the project. `hasContent` decides whether its record is exported. */
function projectSettings(
  name: string,
  fields: ColumnMap,
  hasContent: (row: StoredRow) => boolean = () => true,
): Relation {
  return relation({
    name,
    ownerKinds: ['project'],
    single: true,
    *records(source) {
      const row = projectRow(source)
      if (row && hasContent(row)) yield recordOf(fields, row, source)
    },
    count: () => 1,
    importRecord: (record, target) =>
      target.update('projects', target.owner.id, columnsOf(fields, record, target)),
  })
}

/** Features with an access level. All users who can see the project can use its other features. */
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
/** Features that can be public in a project that is not public. */
const CAN_BE_PUBLIC = ['pages', 'package_registry']
/** The numbers of access levels in archives (spec administration 6.3). */
const LEVELS: Readonly<Record<string, number>> = { disabled: 0, private: 10, enabled: 20, public: 30 }

function accessLevel(canBePublic: boolean): Field {
  return {
    write: (row, _source, name) => LEVELS[String(row[name])]!,
    read: (record, _target, name) => {
      const level = Object.keys(LEVELS).find((key) => LEVELS[key] === record[name])
      if (level === undefined) return {}
      return { [name]: level === 'public' && !canBePublic ? 'enabled' : level }
    },
  }
}

/** The access levels of the features of a project. */
export const project_feature = projectSettings('project_feature', {
  ...Object.fromEntries(
    FEATURES.map((name) => [`${name}_access_level`, accessLevel(CAN_BE_PUBLIC.includes(name))]),
  ),
  metrics_dashboard_access_level: field.constant(LEVELS['private']!),
  created_at: field.exported(),
  updated_at: field.exported(),
})

const presentFlagOf = (name: string): Field => field.ifNotNull(field.otherColumn(name, field.optionalFlag()))

/** CI/CD settings of a project. Archives of GitLab contain only the first one. */
export const ci_cd_settings = projectSettings('ci_cd_settings', {
  group_runners_enabled: presentFlag(),
  forward_deployment_enabled: presentFlagOf('ci_forward_deployment_enabled'),
  separated_caches: presentFlagOf('ci_separated_caches'),
  job_token_scope_enabled: presentFlagOf('ci_job_token_scope_enabled'),
  allow_fork_pipelines_to_run_in_parent_project: presentFlagOf(
    'ci_allow_fork_pipelines_to_run_in_parent_project',
  ),
  keep_latest_artifact: presentFlag(),
  restrict_user_defined_variables: presentFlag(),
  merge_pipelines_enabled: presentFlag(),
  merge_trains_enabled: presentFlag(),
  runner_token_expiration_interval: field.ifNotNull(field.integer({ min: 1 })),
  default_git_depth: field.ifPresent(
    field.otherColumn('ci_default_git_depth', field.integer({ min: 0, max: 1000 })),
  ),
})

/** Settings of Auto DevOps: whether pipelines run without a configuration, and how they deploy. */
export const auto_devops = projectSettings(
  'auto_devops',
  {
    enabled: field.otherColumn('auto_devops_enabled', field.optionalFlag()),
    deploy_strategy: field.otherColumn(
      'auto_devops_deploy_strategy',
      field.choice(['continuous', 'manual', 'timed_incremental'], 'continuous'),
    ),
    created_at: field.exported(),
    updated_at: field.exported(),
  },
  (row) => row['auto_devops_enabled'] !== null || row['auto_devops_deploy_strategy'] !== 'continuous',
)

/** The default policy (spec core 1.2). */
const DEFAULT_POLICY: StoredRow = {
  cadence: '1d',
  enabled: false,
  keep_n: 10,
  older_than: '90d',
  name_regex: '.*',
  name_regex_keep: null,
}

/** The fields of a policy, which a column of the project contains as JSON. */
const POLICY_FIELDS: ColumnMap = {
  cadence: field.choice(['1d', '7d', '14d', '1month', '3month'], '1d'),
  enabled: field.flag(),
  keep_n: field.integer({ min: 1, max: 100 }),
  older_than: field.column((record, name) =>
    record[name] == null ? null : choiceOf(record, name, ['7d', '14d', '30d', '60d', '90d'], '90d'),
  ),
  name_regex: field.text(255),
  name_regex_keep: field.text(255),
}

/** The cleanup policy of the container registry. */
export const container_expiration_policy = relation({
  name: 'container_expiration_policy',
  ownerKinds: ['project'],
  single: true,
  *records(source) {
    const row = projectRow(source)
    if (!row || row['container_expiration_policy'] === '{}') return
    const policy = {
      ...DEFAULT_POLICY,
      ...(JSON.parse(String(row['container_expiration_policy'])) as StoredRow),
    }
    const { created_at, updated_at } = row
    yield {
      ...recordOf(POLICY_FIELDS, policy, source),
      next_run_at: null,
      created_at: created_at!,
      updated_at: updated_at!,
    }
  },
  count: () => 1,
  importRecord: (record, target) => {
    timeOf(record, 'next_run_at')
    const container_expiration_policy = JSON.stringify(columnsOf(POLICY_FIELDS, record, target))
    target.update('projects', target.owner.id, { container_expiration_policy })
  },
})
