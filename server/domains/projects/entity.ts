import { z } from 'zod'

import { entity, row, time } from '../../http/entity.ts'
import { CustomAttribute } from '../users/custom_attributes/entity.ts'
import { NamespaceBasic } from '../namespaces/entity.ts'
import { UserBasic } from '../users/entity.ts'
import { computedFields, identity, simple } from './entity-presenters.ts'
import type { ProjectView } from './service-views.ts'
import { FEATURES, type Project as ProjectRow } from './types.ts'

const level = z.enum(['disabled', 'private', 'enabled', 'public'])
type LevelName = `${(typeof FEATURES)[number]}_access_level`
const levelNames = FEATURES.map((feature): LevelName => `${feature}_access_level`)

/** Columns with 0 or 1. */
const FLAGS = [
  'shared_runners_enabled',
  'group_runners_enabled',
  'lfs_enabled',
  'packages_enabled',
  'request_access_enabled',
  'public_jobs',
  'resolve_outdated_diff_discussions',
  'only_allow_merge_if_pipeline_succeeds',
  'only_allow_merge_if_all_discussions_are_resolved',
  'remove_source_branch_after_merge',
  'printing_merge_request_link_enabled',
  'enforce_auth_checks_on_uploads',
  'autoclose_referenced_issues',
  'service_desk_enabled',
  'ci_forward_deployment_enabled',
  'ci_separated_caches',
  'ci_job_token_scope_enabled',
  'ci_allow_fork_pipelines_to_run_in_parent_project',
  'keep_latest_artifact',
  'restrict_user_defined_variables',
  'show_default_award_emojis',
  'warn_about_potentially_unwanted_characters',
  'mirror',
  'merge_pipelines_enabled',
  'merge_trains_enabled',
] as const

/** Columns that the entity shows unchanged. */
const PLAIN = {
  visibility: z.enum(['private', 'internal', 'public']),
  creator_id: z.int().nullable(),
  updated_at: time(),
  ci_config_path: z.string().nullable(),
  merge_method: z.enum(['merge', 'rebase_merge', 'ff']),
  squash_option: z.enum(['never', 'always', 'default_on', 'default_off']),
  suggestion_commit_message: z.string().nullable(),
  merge_commit_template: z.string().nullable(),
  squash_commit_template: z.string().nullable(),
  issue_branch_template: z.string().nullable(),
  ci_default_git_depth: z.int().nullable(),
  build_git_strategy: z.enum(['fetch', 'clone']),
  build_timeout: z.int(),
  auto_cancel_pending_pipelines: z.enum(['enabled', 'disabled']),
  auto_devops_deploy_strategy: z.enum(['continuous', 'manual', 'timed_incremental']),
}

const derived = {
  empty_repo: z.boolean(),
  archived: z.boolean(),
  issues_enabled: z.boolean(),
  merge_requests_enabled: z.boolean(),
  wiki_enabled: z.boolean(),
  jobs_enabled: z.boolean(),
  snippets_enabled: z.boolean(),
  container_registry_enabled: z.boolean(),
  requirements_enabled: z.boolean(),
  security_and_compliance_enabled: z.boolean(),
  service_desk_address: z.string().nullable(),
  can_create_merge_request_in: z.boolean(),
  emails_disabled: z.boolean().nullable(),
  description_html: z.string(),
  allow_merge_on_skipped_pipeline: z.boolean().nullable(),
  auto_devops_enabled: z.boolean(),
  open_issues_count: z.int().optional(),
  runners_token: z.string().optional(),
  import_error: z.string().nullable().optional(),
  container_expiration_policy: z.strictObject({
    cadence: z.string(),
    enabled: z.boolean(),
    keep_n: z.int().nullable(),
    older_than: z.string().nullable(),
    name_regex: z.string().nullable(),
    name_regex_keep: z.string().nullable(),
    next_run_at: time(),
  }),
}

/** A group that a project is shared with, inside the project (spec core 0.1). */
export const sharedGroup = z.strictObject({
  group_id: z.int(),
  group_name: z.string(),
  group_full_path: z.string(),
  group_access_level: z.int(),
  expires_at: z.iso.date().nullable(),
})

/** Fields of the full view about imports, mirrors, shares and deletion. */
const lifecycleFields = {
  import_url: z.string().nullable(),
  import_type: z.string().nullable(),
  import_status: z.string(),
  mr_default_target_self: z.boolean().optional(),
  shared_with_groups: z.array(sharedGroup),
  runner_token_expiration_interval: z.int().nullable(),
  approvals_before_merge: z.int(),
  mirror_user_id: z.int().nullable().optional(),
  mirror_trigger_builds: z.boolean().optional(),
  only_mirror_protected_branches: z.boolean().optional(),
  mirror_overwrites_diverged_branches: z.boolean().optional(),
  external_authorization_classification_label: z.string(),
  marked_for_deletion_at: z.iso.date().nullable(),
  marked_for_deletion_on: z.iso.date().nullable(),
  compliance_frameworks: z.array(z.string()),
  issues_template: z.string().nullable(),
  merge_requests_template: z.string().nullable(),
}

function each<Name extends string, Type>(
  names: readonly Name[],
  type: Type,
): {
  [N in Name]: Type
} {
  return Object.fromEntries(names.map((name) => [name, type])) as {
    [N in Name]: Type
  }
}

/** The fields of the full view beyond the simple one. */
export const settingsFields = {
  ...derived,
  ...each(levelNames, level),
  ...each(FLAGS, z.boolean()),
  ...PLAIN,
  ...lifecycleFields,
}

const identityFields = {
  id: z.int(),
  description: z.string().nullable(),
  name: z.string(),
  name_with_namespace: z.string(),
  path: z.string(),
  path_with_namespace: z.string(),
  created_at: time(),
}

/** The short form of a project inside other entities. */
export const ProjectIdentity = entity('ProjectIdentity', identityFields, (project: ProjectRow) =>
  identity(project),
)

const simpleFields = {
  ...identityFields,
  default_branch: z.string().optional(),
  tag_list: z.array(z.string()),
  topics: z.array(z.string()),
  ssh_url_to_repo: z.string(),
  http_url_to_repo: z.string(),
  web_url: z.string(),
  readme_url: z.string().nullable().optional(),
  forks_count: z.int().optional(),
  avatar_url: z.string().nullable(),
  star_count: z.int(),
  last_activity_at: time(),
  namespace: NamespaceBasic.schema,
  repository_storage: z.string().optional(),
  license_url: z.string().nullable().optional(),
  license: z
    .strictObject({
      key: z.string(),
      name: z.string(),
      nickname: z.string().nullable(),
      html_url: z.string(),
      source_url: z.string(),
    })
    .nullable()
    .optional(),
  custom_attributes: z.array(CustomAttribute.schema).optional(),
}

/** A project without its settings: for anonymous callers, and on request (spec core 1.1). */
export const ProjectSimple = entity('ProjectSimple', simpleFields, simple)

const access = z.strictObject({ access_level: z.int(), notification_level: z.int() }).nullable()
const link = z.string()
const statisticsFields = {
  commit_count: z.int(),
  storage_size: z.int(),
  repository_size: z.int(),
  wiki_size: z.int(),
  lfs_objects_size: z.int(),
  job_artifacts_size: z.int(),
  pipeline_artifacts_size: z.int(),
  packages_size: z.int(),
  snippets_size: z.int(),
  uploads_size: z.int(),
}

/** The full view, on request with the caller's permissions (spec core 1.1). */
export const Project = entity(
  'Project',
  {
    ...simpleFields,
    _links: z.strictObject({
      self: link,
      issues: link.optional(),
      merge_requests: link.optional(),
      repo_branches: link,
      labels: link,
      events: link,
      members: link,
      cluster_agents: link,
    }),
    owner: UserBasic.schema.optional(),
    forked_from_project: z.strictObject(simpleFields).optional(),
    ...settingsFields,
    statistics: z.strictObject(statisticsFields).optional(),
    permissions: z.strictObject({ project_access: access, group_access: access }).optional(),
  },
  row((view: ProjectView) => view.project),
  computedFields,
)

/** The path of the project's repository on disk; administrators only. */
export const ProjectStorage = entity(
  'ProjectStorage',
  { project_id: z.int(), disk_path: z.string(), created_at: time(), repository_storage: z.string() },
  row<ProjectRow>(),
  (project) => ({ project_id: project.id, disk_path: project.disk_path.replace(/\.git$/, '') }),
)
