import { flag, line, prose, whole, wholeOrNone, word } from './params-kinds.ts'
import { someOf } from './params-lists.ts'
import type { Setting } from './types.ts'

/** Pipelines, runners and what jobs leave. */
export const ci = {
  shared_runners_enabled: flag(
    true,
    'New projects use the runners of the instance',
    'Existing projects keep what they have.',
    { sentWith: ['shared_runners_text'] },
  ),
  shared_runners_text: prose(null, 'Text about the runners', 'On the page of runners of each project.', {
    empty: 'none',
  }),
  shared_runners_minutes: wholeOrNone(
    0,
    'Minutes of the instance’s runners per month',
    'For each group at the top and each user, who may have a limit of their own; then their jobs wait for the next month. 0 for no limit.',
    { unit: 'minutes', min: 0 },
  ),
  auto_devops_enabled: flag(
    true,
    'Projects get a pipeline without configuration',
    'Unless they say otherwise.',
  ),
  auto_devops_domain: line(
    null,
    'Domain of such pipelines',
    'Given to their jobs as KUBE_INGRESS_BASE_DOMAIN.',
    {
      empty: 'none',
    },
  ),
  default_ci_config_path: line(
    null,
    'Configuration file of new projects',
    'A path in the repository. Existing projects keep theirs.',
    { empty: 'the usual one' },
  ),
  protected_ci_variables: flag(
    true,
    'New variables are protected',
    'Given to jobs of protected branches and tags alone, unless the form says otherwise. Programs say it themselves: without it theirs are not protected.',
  ),
  valid_runner_registrars: someOf(
    { project: 'Projects', group: 'Groups' },
    ['project', 'group'],
    'Who may register runners',
    'Others get 403 with their token; the instance always may.',
  ),
  allow_runner_registration_token: flag(
    true,
    'Runners register with the token of their owner',
    'Otherwise runners are made first and get a token of their own.',
  ),
  runner_token_expiration_interval: runnerTokens('of the instance'),
  group_runner_token_expiration_interval: runnerTokens('of groups'),
  project_runner_token_expiration_interval: runnerTokens('of projects'),
  max_artifacts_size: whole(100, 'Largest file of a job', 'Archives and reports beyond it are refused.', {
    unit: 'MB',
    above: 0,
    max: 1_048_576,
  }),
  default_artifacts_expire_in: word(
    '30 days',
    'Files of jobs are kept for',
    'Unless the job says otherwise; 0 or never keeps them.',
  ),
  keep_latest_artifact: flag(
    true,
    'Keep the files of the last success',
    'Of each branch and tag, however old they are.',
  ),
  archive_builds_in_human_readable: line(
    null,
    'Jobs are archived after',
    'Archived jobs can be read but not retried.',
    { empty: 'never' },
  ),
  enable_artifact_external_redirect_warning_page: flag(
    true,
    'Pages in files of jobs are opened after a warning',
    'They may come from anybody who can run jobs.',
    { effect: 'echo' },
  ),
  max_yaml_size_bytes: whole(1_048_576, 'Largest configuration file', 'Larger ones are an error.', {
    unit: 'bytes',
    above: 0,
  }),
  max_yaml_depth: whole(100, 'Deepest configuration', 'Lists and maps inside each other.', { above: 0 }),
  ci_max_includes: whole(150, 'Files that a pipeline includes', 'More are an error.', { min: 0 }),
  ci_max_total_yaml_size_bytes: whole(
    314_572_800,
    'Largest configuration with everything included',
    'Larger ones are an error.',
    { unit: 'bytes', min: 0 },
  ),
  pipeline_limit_per_project_user_sha: whole(
    0,
    'Pipelines a minute for one commit',
    'Of one project and user; 0 for no limit.',
    { min: 0 },
  ),
  downstream_pipeline_trigger_limit_per_project_user_sha: whole(
    0,
    'Downstream pipelines a minute for one commit',
    'Of one project and user; 0 for no limit.',
    { min: 0 },
  ),
  enforce_ci_inbound_job_token_scope_enabled: flag(
    false,
    'Projects say whose jobs may reach them',
    'Jobs of other projects are refused.',
    { effect: 'echo' },
  ),
  suggest_pipeline_enabled: flag(true, 'Projects without a pipeline are offered one', 'On their page.'),
  update_runner_versions_enabled: flag(
    true,
    'Versions of runners are compared with released ones',
    'By asking another host, which this application does not do.',
    { effect: 'echo' },
  ),
  ci_job_live_trace_enabled: flag(false, 'Logs of running jobs are kept elsewhere', 'In an object store.', {
    effect: 'echo',
  }),
  ci_partitions_size_limit: whole(107_374_182_400, 'Largest table of jobs', 'Of another database.', {
    unit: 'bytes',
    above: 0,
    effect: 'echo',
  }),
  external_pipeline_validation_service_url: line(
    null,
    'Service that is asked before a pipeline is made',
    'It gets the configuration and may say no.',
    { empty: 'none' },
  ),
  external_pipeline_validation_service_timeout: wholeOrNone(
    null,
    'Time that it has to answer',
    'Without an answer the pipeline is made.',
    { unit: 'seconds', empty: '5', above: 0 },
  ),
} satisfies Record<string, Setting>

function runnerTokens(owner: string) {
  return wholeOrNone(
    null,
    `Tokens of runners ${owner} end after`,
    'A runner asks for a new one in time by itself.',
    { unit: 'seconds', empty: 'never', min: 7200 },
  )
}
