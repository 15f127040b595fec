import type { SettingSection } from '../../components/form/setting-lines.ts'
import { t } from '../../locales/t.ts'

/** How merge requests are merged, and what has to be true before. */
export const MERGING: readonly SettingSection[] = [
  {
    title: t('project_settings.how'),
    lines: [
      {
        key: 'merge_method',
        kind: 'choice',
        label: t('project_settings.merge_method'),
        help: t('project_settings.with_a_merge_commit_with_one_on_top_of'),
        options: [
          { value: 'merge', label: t('project_settings.merge_commit') },
          { value: 'rebase_merge', label: t('project_settings.merge_commit_straight') },
          { value: 'ff', label: t('project_settings.fast_forward_only') },
        ],
      },
      {
        key: 'squash_option',
        kind: 'choice',
        label: t('project_settings.squash_commits_into_one'),
        help: t('project_settings.availability_and_default_of_squashing'),
        options: [
          { value: 'never', label: t('project_settings.never') },
          { value: 'default_off', label: t('project_settings.offered_off') },
          { value: 'default_on', label: t('project_settings.offered_on') },
          { value: 'always', label: t('project_settings.always') },
        ],
      },
      {
        key: 'remove_source_branch_after_merge',
        kind: 'switch',
        label: t('project_settings.remove_the_branch_after_merging'),
        help: t('project_settings.chosen_for_new_merge_requests_their'),
      },
      {
        key: 'printing_merge_request_link_enabled',
        kind: 'switch',
        label: t('project_settings.show_a_link_after_a_push'),
        help: t('project_settings.git_prints_the_address_at_which_a'),
      },
      {
        key: 'resolve_outdated_diff_discussions',
        kind: 'switch',
        label: t('project_settings.close_threads_on_lines_that_changed'),
        help: t('project_settings.a_push_that_changes_the_line_a_thread'),
      },
      {
        key: 'autoclose_referenced_issues',
        kind: 'switch',
        label: t('project_settings.close_issues_that_a_merge_names'),
        help: t('project_settings.words_like_closes_12_act_when_the'),
      },
      {
        key: 'mr_default_target_self',
        kind: 'switch',
        label: t('project_settings.aim_at_this_project'),
        help: t('project_settings.in_a_fork_new_merge_requests_go_here'),
      },
    ],
  },
  {
    title: t('project_settings.what_has_to_be_true'),
    lines: [
      {
        key: 'only_allow_merge_if_pipeline_succeeds',
        kind: 'switch',
        label: t('project_settings.the_pipeline_succeeded'),
      },
      {
        key: 'allow_merge_on_skipped_pipeline',
        kind: 'switch',
        label: t('project_settings.a_skipped_pipeline_counts_as_a_success'),
      },
      {
        key: 'only_allow_merge_if_all_discussions_are_resolved',
        kind: 'switch',
        label: t('project_settings.all_threads_are_resolved'),
      },
      {
        key: 'merge_pipelines_enabled',
        kind: 'switch',
        label: t('project_settings.test_the_merged_result'),
        help: t('project_settings.pipelines_of_merge_requests_run_on'),
      },
      {
        key: 'merge_trains_enabled',
        kind: 'switch',
        label: t('project_settings.merge_trains'),
        help: t('project_settings.merge_requests_wait_in_a_row_each_is'),
      },
    ],
  },
  {
    title: t('common.messages'),
    lead: t('project_settings.names_in_are_replaced_title_source'),
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
        label: t('project_settings.description_of_a_new_merge_request'),
        help: t('project_settings.prefilled_description_of_new_merge'),
      },
      { key: 'issues_template', kind: 'prose', label: t('project_settings.description_of_a_new_issue') },
      {
        key: 'issue_branch_template',
        kind: 'text',
        label: t('project_settings.branch_made_from_an_issue'),
        placeholder: '%{id}-%{title}',
      },
    ],
  },
]
