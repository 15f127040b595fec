import { t } from '../../locales/t.ts'
/** Filters of the to-do list by reason, with the actions of each. */
export const REASONS: readonly { value: string; label: string; actions: readonly string[] }[] = [
  { value: '', label: t('todos.any_reason'), actions: [] },
  {
    value: 'review',
    label: t('todos.review_or_approval'),
    actions: ['review_requested', 'approval_required'],
  },
  { value: 'assigned', label: t('todos.assigned'), actions: ['assigned'] },
  { value: 'mentioned', label: t('todos.mentioned'), actions: ['mentioned', 'directly_addressed'] },
  {
    value: 'trouble',
    label: t('todos.failed_or_conflicting'),
    actions: ['build_failed', 'unmergeable', 'merge_train_removed'],
  },
  { value: 'access', label: t('todos.access_requested'), actions: ['member_access_requested'] },
  { value: 'marked', label: t('todos.added_by_you'), actions: ['marked'] },
]

/** The kinds of targets that a list of to-dos can be filtered by. */
export const TYPES: readonly { value: string; label: string }[] = [
  { value: '', label: t('todos.all') },
  { value: 'MergeRequest', label: t('common.merge_requests') },
  { value: 'Issue', label: t('common.issues') },
  { value: 'Commit', label: t('common.commits') },
]
