import type { SettingSection } from '../../components/form/setting-lines.ts'

/** How merge requests are merged, and what has to be true before. */
export const MERGING: readonly SettingSection[] = [
  {
    title: 'How',
    lines: [
      {
        key: 'merge_method',
        kind: 'choice',
        label: 'Merge method',
        help: 'With a merge commit, with one on top of a straight history, or only by moving the branch forward.',
        options: [
          { value: 'merge', label: 'Merge commit' },
          { value: 'rebase_merge', label: 'Merge commit, straight' },
          { value: 'ff', label: 'Fast-forward only' },
        ],
      },
      {
        key: 'squash_option',
        kind: 'choice',
        label: 'Squash commits into one',
        help: 'Availability and default of squashing.',
        options: [
          { value: 'never', label: 'Never' },
          { value: 'default_off', label: 'Offered, off' },
          { value: 'default_on', label: 'Offered, on' },
          { value: 'always', label: 'Always' },
        ],
      },
      {
        key: 'remove_source_branch_after_merge',
        kind: 'switch',
        label: 'Remove the branch after merging',
        help: 'Chosen for new merge requests; their author can keep it.',
      },
      {
        key: 'printing_merge_request_link_enabled',
        kind: 'switch',
        label: 'Show a link after a push',
        help: 'git prints the address at which a merge request is made.',
      },
      {
        key: 'resolve_outdated_diff_discussions',
        kind: 'switch',
        label: 'Close threads on lines that changed',
        help: 'A push that changes the line a thread is about resolves it.',
      },
      {
        key: 'autoclose_referenced_issues',
        kind: 'switch',
        label: 'Close issues that a merge names',
        help: 'Words like “Closes #12” act when the change reaches the default branch.',
      },
      {
        key: 'mr_default_target_self',
        kind: 'switch',
        label: 'Aim at this project',
        help: 'In a fork: new merge requests go here and not to where it was forked from.',
      },
    ],
  },
  {
    title: 'What has to be true',
    lines: [
      {
        key: 'only_allow_merge_if_pipeline_succeeds',
        kind: 'switch',
        label: 'The pipeline succeeded',
      },
      {
        key: 'allow_merge_on_skipped_pipeline',
        kind: 'switch',
        label: 'A skipped pipeline counts as a success',
      },
      {
        key: 'only_allow_merge_if_all_discussions_are_resolved',
        kind: 'switch',
        label: 'All threads are resolved',
      },
      {
        key: 'merge_pipelines_enabled',
        kind: 'switch',
        label: 'Test the merged result',
        help: 'Pipelines of merge requests run on what the target would be afterwards.',
      },
      {
        key: 'merge_trains_enabled',
        kind: 'switch',
        label: 'Merge trains',
        help: 'Merge requests wait in a row; each is tested on those before it.',
      },
    ],
  },
  {
    title: 'Messages',
    lead: 'Names in %{…} are replaced: %{title}, %{source_branch}, %{target_branch}, %{description}, %{reference}, %{approved_by}.',
    lines: [
      {
        key: 'merge_commit_template',
        kind: 'prose',
        label: 'Merge commit',
        placeholder: 'Merge branch ‘%{source_branch}’ into ‘%{target_branch}’',
      },
      { key: 'squash_commit_template', kind: 'prose', label: 'Squashed commit', placeholder: '%{title}' },
      {
        key: 'suggestion_commit_message',
        kind: 'text',
        label: 'Applied suggestion',
        placeholder: 'Apply %{suggestions_count} suggestion(s)',
      },
      {
        key: 'merge_requests_template',
        kind: 'prose',
        label: 'Description of a new merge request',
        help: 'Prefilled description of new merge requests.',
      },
      { key: 'issues_template', kind: 'prose', label: 'Description of a new issue' },
      {
        key: 'issue_branch_template',
        kind: 'text',
        label: 'Branch made from an issue',
        placeholder: '%{id}-%{title}',
      },
    ],
  },
]
