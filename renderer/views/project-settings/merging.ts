import type { SettingSection } from '../../components/form/setting-lines.ts'
import { t } from '../../locales/t.ts'

/** How merge requests are merged, and what has to be true before. */
export const MERGING: readonly SettingSection[] = [
  {
    title: t('project_settings.merging'),
    lines: [
      {
        key: 'merge_method',
        kind: 'choice',
        label: t('project_settings.merge_method'),
        help: t('project_settings.how_merge_requests_change_the_target'),
        options: [
          { value: 'merge', label: t('project_settings.merge_commit') },
          { value: 'rebase_merge', label: t('project_settings.merge_commit_with_semi_linear_history') },
          { value: 'ff', label: t('project_settings.fast_forward_only') },
        ],
      },
      {
        key: 'squash_option',
        kind: 'choice',
        label: t('project_settings.squash_commits_into_one'),
        help: t('project_settings.whether_merge_requests_squash_commits'),
        options: [
          { value: 'never', label: t('project_settings.never') },
          { value: 'default_off', label: t('project_settings.allow') },
          { value: 'default_on', label: t('project_settings.encourage') },
          { value: 'always', label: t('project_settings.always') },
        ],
      },
      {
        key: 'remove_source_branch_after_merge',
        kind: 'switch',
        label: t('project_settings.delete_source_branch_by_default'),
        help: t('project_settings.on_by_default_for_new_merge_requests'),
      },
      {
        key: 'printing_merge_request_link_enabled',
        kind: 'switch',
        label: t('project_settings.show_merge_request_link_after_push'),
        help: t('project_settings.git_prints_the_url_for_creating_a'),
      },
      {
        key: 'resolve_outdated_diff_discussions',
        kind: 'switch',
        label: t('project_settings.resolve_outdated_threads'),
        help: t('project_settings.a_push_that_changes_the_line_a_thread'),
      },
      {
        key: 'autoclose_referenced_issues',
        kind: 'switch',
        label: t('project_settings.auto_close_referenced_issues'),
        help: t('project_settings.closes_12_takes_effect_when_the_change'),
      },
      {
        key: 'mr_default_target_self',
        kind: 'switch',
        label: t('project_settings.target_this_project'),
        help: t('project_settings.in_forks_new_merge_requests_target'),
      },
    ],
  },
  {
    title: t('project_settings.merge_checks'),
    lines: [
      {
        key: 'only_allow_merge_if_pipeline_succeeds',
        kind: 'switch',
        label: t('project_settings.pipelines_must_succeed'),
      },
      {
        key: 'allow_merge_on_skipped_pipeline',
        kind: 'switch',
        label: t('project_settings.skipped_pipelines_count_as_successful'),
      },
      {
        key: 'only_allow_merge_if_all_discussions_are_resolved',
        kind: 'switch',
        label: t('project_settings.all_threads_must_be_resolved'),
      },
      {
        key: 'merge_pipelines_enabled',
        kind: 'switch',
        label: t('project_settings.merged_results_pipelines'),
        help: t('project_settings.merge_request_pipelines_run_on_the'),
      },
      {
        key: 'merge_trains_enabled',
        kind: 'switch',
        label: t('project_settings.merge_trains'),
        help: t('project_settings.queue_merge_requests_and_test_each_one'),
      },
    ],
  },
  {
    title: t('common.messages'),
    lead: t('project_settings.placeholders_title_source_branch'),
    lines: [
      {
        key: 'merge_commit_template',
        kind: 'prose',
        label: t('project_settings.merge_commit'),
        placeholder: t('project_settings.merge_branch_source_branch_into_target'),
      },
      {
        key: 'squash_commit_template',
        kind: 'prose',
        label: t('project_settings.squashed_commit'),
        placeholder: '%{title}',
      },
      {
        key: 'suggestion_commit_message',
        kind: 'text',
        label: t('project_settings.applied_suggestion'),
        placeholder: t('project_settings.apply_suggestions_count_suggestion_s'),
      },
      {
        key: 'merge_requests_template',
        kind: 'prose',
        label: t('project_settings.merge_request_template'),
        help: t('project_settings.prefilled_description_of_new_merge'),
      },
      { key: 'issues_template', kind: 'prose', label: t('project_settings.issue_template') },
      {
        key: 'issue_branch_template',
        kind: 'text',
        label: t('project_settings.branch_name_template_for_issues'),
        placeholder: '%{id}-%{title}',
      },
    ],
  },
]
