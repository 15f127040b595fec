/** How a pipeline came to be, after its author: "@mara pushed". */
const SOURCES: Readonly<Record<string, string>> = {
  push: 'pushed',
  web: 'started by hand',
  api: 'started through the API',
  trigger: 'started by a trigger',
  schedule: 'started by a schedule',
  pipeline: 'started by another pipeline',
  parent_pipeline: 'started by its parent',
  merge_request_event: 'for a merge request',
  external: 'reported by another system',
}

/** The source of a pipeline in words. */
export const sourceWords = (source: string) => SOURCES[source] ?? source.replaceAll('_', ' ')

/** Choices of a filter. */
export const SOURCE_CHOICES = Object.entries(SOURCES).map(([value, label]) => ({ value, label }))

/** Why a job failed, in a sentence (spec ci 1.15). */
const REASONS: Readonly<Record<string, string>> = {
  script_failure: 'Script failed.',
  api_failure: 'An external system reported a failure.',
  stuck_or_timeout_failure: 'No runner picked it up, or its runner stopped responding.',
  runner_system_failure: 'The runner itself failed.',
  missing_dependency_failure: 'Files of a job that it needs are gone.',
  runner_unsupported: 'The runner cannot do what the job asks for.',
  stale_schedule: 'It was delayed and could not start in time.',
  job_execution_timeout: 'It ran longer than it may.',
  archived_failure: 'Too old to run.',
  unmet_prerequisites: 'What it needs beforehand could not be made.',
  scheduler_failure: 'The instance could not hand it to a runner.',
  data_integrity_failure: 'Its data is damaged.',
  forward_deployment_failure: 'A newer deployment was there already.',
  failed_outdated_deployment_job: 'A newer deployment was there already.',
  user_blocked: 'The user who started it is blocked.',
  project_deleted: 'Its project was deleted.',
  no_matching_runner: 'No runner fits it.',
  trace_size_exceeded: 'The log exceeded the size limit.',
  builds_disabled: 'CI is switched off in this project.',
  environment_creation_failure: 'Its environment could not be made.',
  insufficient_bridge_permissions: 'The user is not allowed to start the downstream pipeline.',
  downstream_bridge_project_not_found: 'The project that it starts is not there.',
  invalid_bridge_trigger: 'What it should start cannot be started.',
  bridge_pipeline_is_child_pipeline: 'A child pipeline cannot start this.',
  downstream_pipeline_creation_failed: 'The pipeline that it starts could not be made.',
  pipeline_loop_detected: 'Pipelines would start each other without end.',
  reached_max_pipeline_hierarchy_size: 'Too many pipelines have come of one already.',
  reached_max_descendant_pipelines_depth: 'Too many pipelines start each other.',
  runner_configuration_error: 'The runner is not set up for this job.',
}

/** The reason of a failure as a sentence. */
export const reasonWords = (reason: string | null | undefined) =>
  REASONS[reason ?? ''] ?? 'It failed, and nothing says why.'

/** The short name of a ref: `!3` for a merge request. */
export const refWords = (ref: string, request: number | null) =>
  request === null ? ref.replace(/^refs\/(heads|tags)\//, '') : `!${request}`
