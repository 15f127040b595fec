import { z } from 'zod'

import { time } from '../../http/entity.ts'
import { FEATURES } from './project.ts'

const level = z.enum(['disabled', 'private', 'enabled', 'public'])
type LevelName = `${(typeof FEATURES)[number]}_access_level`
const levelNames = FEATURES.map((feature): LevelName => `${feature}_access_level`)

/** Columns that are 0 or 1. */
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

/** Columns that are shown as they are. */
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

/** A group that a project is shared with, as its projects show it (spec core 0.1). */
export const sharedGroup = z.strictObject({
  group_id: z.int(),
  group_name: z.string(),
  group_full_path: z.string(),
  group_access_level: z.int(),
  expires_at: z.iso.date().nullable(),
})

/** Where a project comes from and where it is going. */
const courseFields = {
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

function each<Name extends string, Type>(names: readonly Name[], type: Type): { [N in Name]: Type } {
  return Object.fromEntries(names.map((name) => [name, type])) as { [N in Name]: Type }
}

/** Fields of the full view beside those of the simple one. */
export const settingsFields = {
  ...derived,
  ...each(levelNames, level),
  ...each(FLAGS, z.boolean()),
  ...PLAIN,
  ...courseFields,
}
