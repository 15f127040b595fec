import type { SettingSection } from '../../components/form/setting-lines.ts'
import { t } from '../../locales/t.ts'

/** How pipelines of a project run. */
export const PIPELINES: readonly SettingSection[] = [
  {
    title: t('common.pipelines'),
    lines: [
      {
        key: 'ci_config_path',
        kind: 'text',
        label: t('project_settings.ci_cd_configuration_file'),
        help: t('project_settings.path_in_the_repository_or_path_group'),
        placeholder: '.gitlab-ci.yml',
      },
      {
        key: 'auto_cancel_pending_pipelines',
        kind: 'choice',
        label: t('project_settings.auto_cancel_redundant_pipelines'),
        help: t('project_settings.only_interruptible_jobs_are_canceled'),
        options: [
          { value: 'enabled', label: t('project_settings.yes') },
          { value: 'disabled', label: t('project_settings.no') },
        ],
      },
      {
        key: 'ci_forward_deployment_enabled',
        kind: 'switch',
        label: t('project_settings.prevent_outdated_deployment_jobs'),
        help: t('project_settings.deployment_jobs_older_than_the_latest'),
      },
      {
        key: 'public_jobs',
        kind: 'switch',
        label: t('project_settings.everyone_with_access_can_view_jobs_and'),
        help: t('project_settings.if_off_only_members_can'),
      },
      {
        key: 'ci_allow_fork_pipelines_to_run_in_parent_project',
        kind: 'switch',
        label: t('project_settings.run_fork_pipelines_in_this_project'),
        help: t('project_settings.when_a_member_starts_them_they_use'),
      },
      {
        key: 'restrict_user_defined_variables',
        kind: 'switch',
        label: t('project_settings.only_maintainers_can_override'),
        help: t('project_settings.if_off_pipelines_use_only_the'),
      },
      {
        key: 'ci_job_token_scope_enabled',
        kind: 'switch',
        label: t('project_settings.limit_job_tokens_to_listed_projects'),
      },
    ],
  },
  {
    title: t('common.jobs'),
    lines: [
      {
        key: 'build_timeout',
        kind: 'number',
        label: t('project_settings.job_timeout'),
        unit: t('project_settings.seconds'),
        help: t('project_settings.default_for_jobs_that_set_no_timeout'),
      },
      {
        key: 'build_git_strategy',
        kind: 'choice',
        label: t('project_settings.git_strategy'),
        options: [
          { value: 'fetch', label: 'git fetch' },
          { value: 'clone', label: t('project_settings.git_clone') },
        ],
      },
      {
        key: 'ci_default_git_depth',
        kind: 'number',
        label: t('project_settings.git_shallow_clone_depth'),
        help: t('project_settings.empty_or_0_fetches_the_whole_history'),
        unit: t('project_settings.commits'),
      },
      {
        key: 'ci_separated_caches',
        kind: 'switch',
        label: t('project_settings.separate_caches_for_protected_branches'),
        help: t('project_settings.keeps_other_branches_from_changing'),
      },
      {
        key: 'keep_latest_artifact',
        kind: 'switch',
        label: t('project_settings.keep_artifacts_of_the_latest_pipelines'),
        help: t('project_settings.regardless_of_expiration'),
      },
    ],
  },
  {
    title: t('common.runners'),
    lines: [
      {
        key: 'shared_runners_enabled',
        kind: 'switch',
        label: t('project_settings.enable_instance_runners'),
      },
      {
        key: 'group_runners_enabled',
        kind: 'switch',
        label: t('project_settings.enable_group_runners'),
      },
      {
        key: 'runner_token_expiration_interval',
        kind: 'number',
        label: t('project_settings.runner_token_expiration'),
        unit: t('project_settings.seconds'),
        help: t('project_settings.leave_empty_for_no_limit'),
      },
    ],
  },
  {
    title: t('project_settings.without_configuration_file'),
    lines: [
      {
        key: 'auto_devops_enabled',
        kind: 'switch',
        label: t('project_settings.auto_devops'),
        help: t('project_settings.for_repositories_without_gitlab_ci_yml'),
      },
      {
        key: 'auto_devops_deploy_strategy',
        kind: 'choice',
        label: t('project_settings.deploy_job'),
        options: [
          { value: 'continuous', label: t('project_settings.immediately') },
          { value: 'timed_incremental', label: t('project_settings.incremental_rollout') },
          { value: 'manual', label: t('project_settings.manual') },
        ],
      },
    ],
  },
]
