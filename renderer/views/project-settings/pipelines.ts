import type { SettingSection } from '../../components/form/setting-lines.ts'

/** How pipelines of a project run. */
export const PIPELINES: readonly SettingSection[] = [
  {
    title: 'Pipelines',
    lines: [
      {
        key: 'ci_config_path',
        kind: 'text',
        label: 'File that describes them',
        help: 'Path in the repository, or path@group/project for another project.',
        placeholder: '.gitlab-ci.yml',
      },
      {
        key: 'auto_cancel_pending_pipelines',
        kind: 'choice',
        label: 'A newer push cancels older pipelines',
        help: 'Only jobs that say they can be interrupted are stopped.',
        options: [
          { value: 'enabled', label: 'Yes' },
          { value: 'disabled', label: 'No' },
        ],
      },
      {
        key: 'ci_forward_deployment_enabled',
        kind: 'switch',
        label: 'Never deploy something older',
        help: 'A deployment that a newer one has overtaken is not started.',
      },
      {
        key: 'public_jobs',
        kind: 'switch',
        label: 'Everyone with access sees jobs and their logs',
        help: 'Off, only members do.',
      },
      {
        key: 'ci_allow_fork_pipelines_to_run_in_parent_project',
        kind: 'switch',
        label: 'Pipelines of forks may run here',
        help: 'Started by a member; they then use the runners and variables of this project.',
      },
      {
        key: 'restrict_user_defined_variables',
        kind: 'switch',
        label: 'Only maintainers pass variables along',
        help: 'Otherwise pipelines use only the variables of the project.',
      },
      {
        key: 'ci_job_token_scope_enabled',
        kind: 'switch',
        label: 'Job tokens reach only listed projects',
      },
    ],
  },
  {
    title: 'Jobs',
    lines: [
      {
        key: 'build_timeout',
        kind: 'number',
        label: 'A job ends after',
        unit: 'seconds',
        help: 'For jobs that do not say it themselves.',
      },
      {
        key: 'build_git_strategy',
        kind: 'choice',
        label: 'How the code gets to a job',
        options: [
          { value: 'fetch', label: 'git fetch' },
          { value: 'clone', label: 'Clone anew' },
        ],
      },
      {
        key: 'ci_default_git_depth',
        kind: 'number',
        label: 'Commits that are fetched',
        help: 'Empty or 0 fetches the whole history.',
        unit: 'commits',
      },
      {
        key: 'ci_separated_caches',
        kind: 'switch',
        label: 'Caches of protected branches apart',
        help: 'Other branches can then not slip anything into them.',
      },
      {
        key: 'keep_latest_artifact',
        kind: 'switch',
        label: 'Keep the newest artifacts of every branch',
        help: 'Whatever their age.',
      },
    ],
  },
  {
    title: 'Runners',
    lines: [
      { key: 'shared_runners_enabled', kind: 'switch', label: 'Use the runners of the instance' },
      { key: 'group_runners_enabled', kind: 'switch', label: 'Use the runners of its groups' },
      {
        key: 'runner_token_expiration_interval',
        kind: 'number',
        label: 'Tokens of its runners end after',
        unit: 'seconds',
        help: 'Leave empty for no limit.',
      },
    ],
  },
  {
    title: 'Without a file',
    lines: [
      {
        key: 'auto_devops_enabled',
        kind: 'switch',
        label: 'Make up a pipeline',
        help: 'For a repository without a description of its own.',
      },
      {
        key: 'auto_devops_deploy_strategy',
        kind: 'choice',
        label: 'It deploys',
        options: [
          { value: 'continuous', label: 'At once' },
          { value: 'timed_incremental', label: 'Step by step' },
          { value: 'manual', label: 'When asked to' },
        ],
      },
    ],
  },
]
