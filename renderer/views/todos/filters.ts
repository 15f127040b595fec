/** Filters of the to-do list by reason, with the actions of each. */
export const REASONS: readonly { value: string; label: string; actions: readonly string[] }[] = [
  { value: '', label: 'Any reason', actions: [] },
  { value: 'review', label: 'Review or approval', actions: ['review_requested', 'approval_required'] },
  { value: 'assigned', label: 'Assigned', actions: ['assigned'] },
  { value: 'mentioned', label: 'Mentioned', actions: ['mentioned', 'directly_addressed'] },
  {
    value: 'trouble',
    label: 'Failed or in conflict',
    actions: ['build_failed', 'unmergeable', 'merge_train_removed'],
  },
  { value: 'access', label: 'Access requested', actions: ['member_access_requested'] },
  { value: 'marked', label: 'Put here by you', actions: ['marked'] },
]

/** The kinds of targets that a list of to-dos can be filtered by. */
export const TYPES: readonly { value: string; label: string }[] = [
  { value: '', label: 'Everything' },
  { value: 'MergeRequest', label: 'Merge requests' },
  { value: 'Issue', label: 'Issues' },
  { value: 'Commit', label: 'Commits' },
]
