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
        label: t('project_settings.file_that_describes_them'),
        help: t('project_settings.path_in_the_repository_or_path_group'),
        placeholder: '.gitlab-ci.yml',
      },
      {
        key: 'auto_cancel_pending_pipelines',
        kind: 'choice',
        label: t('project_settings.a_newer_push_cancels_older_pipelines'),
        help: t('project_settings.only_jobs_that_say_they_can_be'),
        options: [
          { value: 'enabled', label: t('project_settings.yes') },
          { value: 'disabled', label: t('project_settings.no') },
        ],
      },
      {
        key: 'ci_forward_deployment_enabled',
        kind: 'switch',
        label: t('project_settings.never_deploy_something_older'),
        help: t('project_settings.a_deployment_that_a_newer_one_has'),
      },
      {
        key: 'public_jobs',
        kind: 'switch',
        label: t('project_settings.everyone_with_access_sees_jobs_and'),
        help: t('project_settings.off_only_members_do'),
      },
      {
        key: 'ci_allow_fork_pipelines_to_run_in_parent_project',
        kind: 'switch',
        label: t('project_settings.pipelines_of_forks_may_run_here'),
        help: t('project_settings.started_by_a_member_they_then_use_the'),
      },
      {
        key: 'restrict_user_defined_variables',
        kind: 'switch',
        label: t('project_settings.only_maintainers_pass_variables_along'),
        help: t('project_settings.otherwise_pipelines_use_only_the'),
      },
      {
        key: 'ci_job_token_scope_enabled',
        kind: 'switch',
        label: t('project_settings.job_tokens_reach_only_listed_projects'),
      },
    ],
  },
  {
    title: t('common.jobs'),
    lines: [
      {
        key: 'build_timeout',
        kind: 'number',
        label: t('project_settings.a_job_ends_after'),
        unit: t('project_settings.seconds'),
        help: t('project_settings.for_jobs_that_do_not_say_it_themselves'),
      },
      {
        key: 'build_git_strategy',
        kind: 'choice',
        label: t('project_settings.how_the_code_gets_to_a_job'),
        options: [
          { value: 'fetch', label: 'git fetch' },
          { value: 'clone', label: t('project_settings.clone_anew') },
        ],
      },
      {
        key: 'ci_default_git_depth',
        kind: 'number',
        label: t('project_settings.commits_that_are_fetched'),
        help: t('project_settings.empty_or_0_fetches_the_whole_history'),
        unit: t('project_settings.commits'),
      },
      {
        key: 'ci_separated_caches',
        kind: 'switch',
        label: t('project_settings.caches_of_protected_branches_apart'),
        help: t('project_settings.other_branches_can_then_not_slip'),
      },
      {
        key: 'keep_latest_artifact',
        kind: 'switch',
        label: t('project_settings.keep_the_newest_artifacts_of_every'),
        help: t('project_settings.whatever_their_age'),
      },
    ],
  },
  {
    title: t('common.runners'),
    lines: [
      {
        key: 'shared_runners_enabled',
        kind: 'switch',
        label: t('project_settings.use_the_runners_of_the_instance'),
      },
      {
        key: 'group_runners_enabled',
        kind: 'switch',
        label: t('project_settings.use_the_runners_of_its_groups'),
      },
      {
        key: 'runner_token_expiration_interval',
        kind: 'number',
        label: t('project_settings.tokens_of_its_runners_end_after'),
        unit: t('project_settings.seconds'),
        help: t('project_settings.leave_empty_for_no_limit'),
      },
    ],
  },
  {
    title: t('project_settings.without_a_file'),
    lines: [
      {
        key: 'auto_devops_enabled',
        kind: 'switch',
        label: t('project_settings.make_up_a_pipeline'),
        help: t('project_settings.for_a_repository_without_a_description'),
      },
      {
        key: 'auto_devops_deploy_strategy',
        kind: 'choice',
        label: t('project_settings.it_deploys'),
        options: [
          { value: 'continuous', label: t('project_settings.at_once') },
          { value: 'timed_incremental', label: t('project_settings.step_by_step') },
          { value: 'manual', label: t('project_settings.when_asked_to') },
        ],
      },
    ],
  },
]
