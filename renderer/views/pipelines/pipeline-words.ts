import { t } from '../../locales/t.ts'
/** How a pipeline came to be, after its author: "@mara pushed". */
const SOURCES: Readonly<Record<string, string>> = {
  push: t('pipelines.pushed'),
  web: t('pipelines.started_by_hand'),
  api: t('pipelines.started_through_the_api'),
  trigger: t('pipelines.started_by_a_trigger'),
  schedule: t('pipelines.started_by_a_schedule'),
  pipeline: t('pipelines.started_by_another_pipeline'),
  parent_pipeline: t('pipelines.started_by_its_parent'),
  merge_request_event: t('pipelines.for_a_merge_request'),
  external: t('pipelines.reported_by_another_system'),
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
  runner_system_failure: t('pipelines.the_runner_itself_failed'),
  missing_dependency_failure: t('pipelines.files_of_a_job_that_it_needs_are_gone'),
  runner_unsupported: t('pipelines.the_runner_cannot_do_what_the_job_asks'),
  stale_schedule: t('pipelines.it_was_delayed_and_could_not_start_in'),
  job_execution_timeout: t('pipelines.it_ran_longer_than_it_may'),
  archived_failure: t('pipelines.too_old_to_run'),
  unmet_prerequisites: t('pipelines.what_it_needs_beforehand_could_not_be'),
  scheduler_failure: t('pipelines.the_instance_could_not_hand_it_to_a'),
  data_integrity_failure: t('pipelines.its_data_is_damaged'),
  forward_deployment_failure: t('pipelines.a_newer_deployment_was_there_already'),
  failed_outdated_deployment_job: t('pipelines.a_newer_deployment_was_there_already'),
  user_blocked: t('pipelines.the_user_who_started_it_is_blocked'),
  project_deleted: t('pipelines.its_project_was_deleted'),
  no_matching_runner: t('pipelines.no_runner_fits_it'),
  trace_size_exceeded: t('pipelines.the_log_exceeded_the_size_limit'),
  builds_disabled: t('pipelines.ci_is_switched_off_in_this_project'),
  environment_creation_failure: t('pipelines.its_environment_could_not_be_made'),
  insufficient_bridge_permissions: t('pipelines.the_user_is_not_allowed_to_start_the'),
  downstream_bridge_project_not_found: t('pipelines.the_project_that_it_starts_is_not'),
  invalid_bridge_trigger: t('pipelines.what_it_should_start_cannot_be_started'),
  bridge_pipeline_is_child_pipeline: t('pipelines.a_child_pipeline_cannot_start_this'),
  downstream_pipeline_creation_failed: t('pipelines.the_pipeline_that_it_starts_could_not'),
  pipeline_loop_detected: t('pipelines.pipelines_would_start_each_other'),
  reached_max_pipeline_hierarchy_size: t('pipelines.too_many_pipelines_have_come_of_one'),
  reached_max_descendant_pipelines_depth: t('pipelines.too_many_pipelines_start_each_other'),
  runner_configuration_error: t('pipelines.the_runner_is_not_set_up_for_this_job'),
}

/** The reason of a failure as a sentence. */
export const reasonWords = (reason: string | null | undefined) =>
  REASONS[reason ?? ''] ?? t('pipelines.it_failed_and_nothing_says_why')

/** The short name of a ref: `!3` for a merge request. */
export const refWords = (ref: string, request: number | null) =>
  request === null ? ref.replace(/^refs\/(heads|tags)\//, '') : `!${request}`
