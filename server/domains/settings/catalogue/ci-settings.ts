import { flag, line, markdown, integer, integerOrNull, requiredText } from './params-kinds.ts'
import { multipleChoice } from './params-lists.ts'
import type { Setting } from './types.ts'

/** Pipelines, runners and artifacts. */
export const ci = {
  shared_runners_enabled: flag(
    true,
    'Enable instance runners for new projects',
    'Existing projects do not change.',
    { sentWith: ['shared_runners_text'] },
  ),
  shared_runners_text: markdown(
    null,
    'Instance runners details',
    'Appears in the runner settings of each project. Markdown enabled.',
    {
      empty: 'none',
    },
  ),
  shared_runners_minutes: integerOrNull(
    0,
    'Compute quota',
    'Monthly minutes on instance runners for each top-level group and user. Later CI jobs wait for the next month. 0 means no limit.',
    { unit: 'minutes', min: 0 },
  ),
  auto_devops_enabled: flag(
    true,
    'Default to Auto DevOps pipeline for all projects',
    'Projects without CI/CD configuration run a default pipeline. Projects can opt out.',
  ),
  auto_devops_domain: line(null, 'Auto DevOps domain', 'CI jobs receive it as KUBE_INGRESS_BASE_DOMAIN.', {
    empty: 'none',
  }),
  default_ci_config_path: line(
    null,
    'Default CI/CD configuration file',
    'Path in the repository of new projects. Existing projects do not change.',
    { empty: 'the default file' },
  ),
  protected_ci_variables: flag(
    true,
    'Protect CI/CD variables by default',
    'The window creates new variables as protected. Does not apply to API requests.',
  ),
  valid_runner_registrars: multipleChoice(
    { project: 'Projects', group: 'Groups' },
    ['project', 'group'],
    'Runner registration',
    'Members of these owners can register runners. Other registrations receive 403.',
  ),
  allow_runner_registration_token: flag(
    true,
    'Allow runner registration tokens',
    'If off, runners must be created first and use an authentication token.',
  ),
  runner_token_expiration_interval: runnerTokenExpiration('Instance'),
  group_runner_token_expiration_interval: runnerTokenExpiration('Group'),
  project_runner_token_expiration_interval: runnerTokenExpiration('Project'),
  max_artifacts_size: integer(
    100,
    'Maximum artifacts size',
    'Larger artifact archives and reports are rejected.',
    {
      unit: 'MB',
      above: 0,
      max: 1_048_576,
    },
  ),
  default_artifacts_expire_in: requiredText(
    '30 days',
    'Default artifacts expiration',
    'Used if the CI job sets no expiration. 0 or never keeps artifacts.',
  ),
  keep_latest_artifact: flag(
    true,
    'Keep the latest artifacts',
    'Keeps the artifacts of the latest successful pipeline of each branch and tag.',
  ),
  archive_builds_in_human_readable: line(
    null,
    'Archive jobs',
    'CI jobs older than this can be viewed but not retried.',
    { empty: 'never' },
  ),
  enable_artifact_external_redirect_warning_page: flag(
    true,
    'Enable the external redirect page for job artifacts',
    'Shows a warning before an artifact page opens.',
    { effect: 'echo' },
  ),
  max_yaml_size_bytes: integer(
    1_048_576,
    'Maximum YAML size',
    'Larger CI/CD configuration files are invalid.',
    {
      unit: 'bytes',
      above: 0,
    },
  ),
  max_yaml_depth: integer(
    100,
    'Maximum YAML depth',
    'Maximum depth of nested lists and maps in the CI/CD configuration.',
    { above: 0 },
  ),
  ci_max_includes: integer(150, 'Maximum includes', 'Maximum number of files that a pipeline can include.', {
    min: 0,
  }),
  ci_max_total_yaml_size_bytes: integer(
    314_572_800,
    'Maximum size of the full CI/CD configuration',
    'Includes all included files. Larger configurations are invalid.',
    { unit: 'bytes', min: 0 },
  ),
  pipeline_limit_per_project_user_sha: integer(
    0,
    'Maximum number of pipelines per minute',
    'For each project, user, and commit. 0 means no limit.',
    { min: 0 },
  ),
  downstream_pipeline_trigger_limit_per_project_user_sha: integer(
    0,
    'Maximum downstream pipelines per minute',
    'For each project, user, and commit. 0 means no limit.',
    { min: 0 },
  ),
  enforce_ci_inbound_job_token_scope_enabled: flag(
    false,
    'Enforce the job token allowlist',
    'Projects must list the projects that can access them with a job token.',
    { effect: 'echo' },
  ),
  suggest_pipeline_enabled: flag(
    true,
    'Enable pipeline suggestion banner',
    'Projects without a pipeline show a hint to create one.',
  ),
  update_runner_versions_enabled: flag(
    true,
    'Fetch runner release data',
    'Compares runner versions with released versions.',
    { effect: 'echo' },
  ),
  ci_job_live_trace_enabled: flag(
    false,
    'Enable incremental logging',
    'Stores logs of running CI jobs in object storage.',
    {
      effect: 'echo',
    },
  ),
  ci_partitions_size_limit: integer(
    107_374_182_400,
    'Maximum size of CI database partitions',
    'Larger partitions are split.',
    {
      unit: 'bytes',
      above: 0,
      effect: 'echo',
    },
  ),
  external_pipeline_validation_service_url: line(
    null,
    'External pipeline validation URL',
    'The service receives the configuration before a pipeline is created and can reject it.',
    { empty: 'none' },
  ),
  external_pipeline_validation_service_timeout: integerOrNull(
    null,
    'External pipeline validation timeout',
    'After the timeout the pipeline is created.',
    { unit: 'seconds', empty: '5', above: 0 },
  ),
} satisfies Record<string, Setting>

function runnerTokenExpiration(owner: string) {
  return integerOrNull(
    null,
    `${owner} runners token expiration`,
    'Runners renew their token before it expires.',
    { unit: 'seconds', empty: 'never', min: 7200 },
  )
}
