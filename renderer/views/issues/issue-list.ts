import { CircleDot } from '@lucide/vue'
import type { Params } from '../../api/client.ts'
import { WORDS, type IssuableKind } from '../../components/issuable/useIssuableList.ts'
import { t } from '../../locales/t.ts'

type Asked = Params<'GET /issues'>

/** What a list of issues offers. */
export const ISSUES: IssuableKind<'GET /issues' | 'GET /projects/:id/issues' | 'GET /groups/:id/issues'> = {
  name: 'issue',
  icon: CircleDot,
  texts: {
    title: t('common.issues'),
    label: t('filter.issues'),
    make: t('filter.new_issue'),
    noMatch: t('filter.no_matching_issues'),
    all: t('filter.show_all_issues'),
    noneYet: t('issues.no_issues_yet'),
    noneFound: t('filter.no_issues'),
    noneOpen: t('filter.no_open_issues'),
    about: t('issues.issues_track_tasks_bugs_and_ideas'),
  },
  endpoints: { project: 'GET /projects/:id/issues', group: 'GET /groups/:id/issues', all: 'GET /issues' },
  states: [
    { value: 'opened', label: t('issues.open') },
    { value: 'closed', label: t('issues.closed') },
    { value: 'all', label: t('common.all') },
  ],
  scopes: [
    { value: 'assigned_to_me', label: t('issuable.assigned_to_you') },
    { value: 'created_by_me', label: t('issuable.created_by_you') },
    { value: 'all', label: t('common.all') },
  ],
  orders: [
    { value: 'created_at', label: t('common.newest') },
    { value: 'updated_at', label: t('issuable.last_updated') },
    { value: 'due_date', label: t('issues.due_date') },
    { value: 'milestone_due', label: t('issuable.milestone_due_date') },
    { value: 'label_priority', label: t('issuable.label_priority') },
    { value: 'popularity', label: t('issuable.popularity') },
    { value: 'title', label: t('common.title') },
    { value: 'relative_position', label: t('issues.manual') },
  ],
  upwards: ['due_date', 'milestone_due', 'title', 'label_priority', 'relative_position'],
  filters: [
    { key: 'author', label: t('common.author'), kind: 'people' },
    { key: 'assignee', label: t('common.assignee'), kind: 'people', words: WORDS },
    { key: 'labels', label: t('common.labels'), kind: 'labels', multiple: true, words: WORDS },
    { key: 'without', label: t('issuable.not_label'), kind: 'labels', multiple: true },
    {
      key: 'milestone',
      label: t('common.milestone'),
      kind: 'milestone',
      words: [...WORDS, 'Upcoming', 'Started'],
    },
    {
      key: 'due',
      label: t('common.due'),
      kind: 'choice',
      options: [
        { value: 'overdue', label: t('issues.overdue') },
        { value: 'today', label: t('issues.today') },
        { value: 'tomorrow', label: t('issues.tomorrow') },
        { value: 'week', label: t('issues.this_week') },
        { value: 'month', label: t('issues.this_month') },
        { value: '0', label: t('issues.no_due_date') },
      ],
    },
    {
      key: 'type',
      label: t('issues.type'),
      kind: 'choice',
      options: [
        { value: 'issue', label: t('issues.issue_2') },
        { value: 'incident', label: t('issues.incident_2') },
        { value: 'task', label: t('issues.task_2') },
        { value: 'test_case', label: t('issues.test_case_2') },
      ],
    },
    {
      key: 'confidential',
      label: t('issues.confidential'),
      kind: 'choice',
      options: [
        { value: 'true', label: t('issuable.yes') },
        { value: 'false', label: t('issuable.no') },
      ],
    },
  ],
  own: ({ due, type, confidential }) => ({
    due_date: (due || undefined) as Asked['due_date'],
    issue_type: (type || undefined) as Asked['issue_type'],
    confidential: confidential ? confidential === 'true' : undefined,
  }),
}
