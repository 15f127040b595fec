import { t } from '../../locales/t.ts'
/** How a pipeline came to be, after its author: "@mara pushed". */
const SOURCES: Readonly<Record<string, string>> = {
  push: t('pipelines.pushed'),
  web: t('pipelines.started_manually'),
  api: t('pipelines.started_via_api'),
  trigger: t('pipelines.started_by_a_trigger'),
  schedule: t('pipelines.started_by_a_schedule'),
  pipeline: t('pipelines.started_by_another_pipeline'),
  parent_pipeline: t('pipelines.started_by_its_parent'),
  merge_request_event: t('pipelines.for_a_merge_request'),
  external: t('pipelines.reported_by_an_external_system'),
}

/** The source of a pipeline in words. */
export const sourceWords = (source: string) => SOURCES[source] ?? source.replaceAll('_', ' ')

/** Choices of a filter. */
export const SOURCE_CHOICES = Object.entries(SOURCES).map(([value, label]) => ({ value, label }))

/** Why a job failed, in a sentence (spec ci 1.15). */
const REASONS: Readonly<Record<string, string>> = {
  script_failure: t('pipelines.script_failed'),
  api_failure: t('pipelines.an_external_system_reported_a_failure'),
  stuck_or_timeout_failure: t('pipelines.no_runner_picked_it_up_or_its_runner'),
  runner_system_failure: t('pipelines.runner_system_failure'),
  missing_dependency_failure: t('pipelines.artifacts_of_a_required_job_are'),
  runner_unsupported: t('pipelines.the_runner_does_not_support_a_feature'),
  stale_schedule: t('pipelines.could_not_start_in_time_after_its'),
  job_execution_timeout: t('pipelines.timed_out'),
  archived_failure: t('pipelines.too_old_to_run'),
  unmet_prerequisites: t('pipelines.could_not_prepare_its_prerequisites'),
  scheduler_failure: t('pipelines.the_scheduler_could_not_assign_it_to_a'),
  data_integrity_failure: t('pipelines.its_data_is_corrupt'),
  forward_deployment_failure: t('pipelines.a_newer_deployment_already_exists'),
  failed_outdated_deployment_job: t('pipelines.a_newer_deployment_already_exists'),
  user_blocked: t('pipelines.the_user_who_started_it_is_blocked'),
  project_deleted: t('pipelines.its_project_was_deleted'),
  no_matching_runner: t('pipelines.no_matching_runner'),
  trace_size_exceeded: t('pipelines.the_log_exceeded_the_size_limit'),
  builds_disabled: t('pipelines.ci_cd_is_disabled_in_this_project'),
  environment_creation_failure: t('pipelines.could_not_create_its_environment'),
  insufficient_bridge_permissions: t('pipelines.the_user_may_not_start_the_downstream'),
  downstream_bridge_project_not_found: t('pipelines.downstream_project_not_found'),
  invalid_bridge_trigger: t('pipelines.invalid_downstream_trigger'),
  bridge_pipeline_is_child_pipeline: t('pipelines.child_pipelines_are_nested_too_deeply'),
  downstream_pipeline_creation_failed: t('pipelines.could_not_create_the_downstream'),
  pipeline_loop_detected: t('pipelines.the_pipelines_would_trigger_each_other'),
  reached_max_pipeline_hierarchy_size: t('pipelines.pipeline_hierarchy_size_limit_reached'),
  reached_max_descendant_pipelines_depth: t('pipelines.downstream_pipelines_are_nested_too'),
  runner_configuration_error: t('pipelines.the_runners_configuration_does_not_fit'),
}

/** The reason of a failure as a sentence. */
export const reasonWords = (reason: string | null | undefined) =>
  REASONS[reason ?? ''] ?? t('pipelines.unknown_failure')

/** The short name of a ref: `!3` for a merge request. */
export const refWords = (ref: string, request: number | null) =>
  request === null ? ref.replace(/^refs\/(heads|tags)\//, '') : `!${request}`
