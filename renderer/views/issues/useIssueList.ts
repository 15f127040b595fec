import { computed } from 'vue'
import { usePage } from '../../api/usePage.ts'
import type { Filter, FilterPlace } from '../../components/filter/filters.ts'
import { useUrlState } from '../../composables/useUrlState.ts'
import { t } from '../../locales/t.ts'

const PER_PAGE = 50
const WORDS = ['None', 'Any'] as const

export const STATES = [
  { value: 'opened', label: t('issues.open') },
  { value: 'closed', label: t('issues.closed') },
  { value: 'all', label: t('common.all') },
] as const
export const SCOPES = [
  { value: 'assigned_to_me', label: t('issues.assigned_to_you') },
  { value: 'created_by_me', label: t('issues.created_by_you') },
  { value: 'all', label: t('common.all') },
] as const
export const ORDERS = [
  { value: 'created_at', label: t('common.newest') },
  { value: 'updated_at', label: t('issues.last_updated') },
  { value: 'due_date', label: t('issues.due_date') },
  { value: 'milestone_due', label: t('issues.milestone_due_date') },
  { value: 'label_priority', label: t('issues.label_priority') },
  { value: 'popularity', label: t('issues.popularity') },
  { value: 'title', label: t('common.title') },
  { value: 'relative_position', label: t('issues.manual') },
] as const
type Order = (typeof ORDERS)[number]['value']
/** Ascending sort fields. */
const UPWARDS = new Set<Order>(['due_date', 'milestone_due', 'title', 'label_priority', 'relative_position'])

export const FILTERS: readonly Filter[] = [
  { key: 'author', label: t('common.author'), kind: 'people' },
  { key: 'assignee', label: t('common.assignee'), kind: 'people', words: WORDS },
  { key: 'labels', label: t('common.labels'), kind: 'labels', multiple: true, words: WORDS },
  { key: 'without', label: t('issues.not_label'), kind: 'labels', multiple: true },
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
      { value: 'true', label: t('issues.yes') },
      { value: 'false', label: t('issues.no') },
    ],
  },
]
const filterKeys = FILTERS.map((one) => one.key)

/** Filters, order and page of a list of issues, stored in the address, and the matching rows. */
export const useIssueList = (place: () => FilterPlace) => {
  const { state, set } = useUrlState({
    state: 'opened' as string,
    scope: 'assigned_to_me' as string,
    search: '',
    order: 'created_at' as string,
    author: '',
    assignee: '',
    labels: '',
    without: '',
    milestone: '',
    due: '',
    type: '',
    confidential: '',
    page: 1,
  })
  const person = (name: string) =>
    name === 'None' || name === 'Any' ? { assignee_id: name } : name ? { assignee_username: [name] } : {}
  const asked = computed(() => {
    const now = state.value
    const order = (ORDERS.find((one) => one.value === now.order)?.value ?? 'created_at') as Order
    return {
      state: (STATES.find((one) => one.value === now.state)?.value ?? 'opened') as 'opened',
      search: now.search || undefined,
      author_username: now.author || undefined,
      ...(person(now.assignee) as { assignee_username?: string[] }),
      labels: now.labels ? now.labels.split(',') : undefined,
      milestone: now.milestone || undefined,
      due_date: (now.due || undefined) as 'today' | undefined,
      issue_type: (now.type || undefined) as 'issue' | undefined,
      confidential: now.confidential === '' ? undefined : now.confidential === 'true',
      not: now.without ? { labels: now.without.split(',') } : undefined,
      order_by: order,
      sort: UPWARDS.has(order) ? ('asc' as const) : ('desc' as const),
      with_labels_details: true,
      page: now.page,
      per_page: PER_PAGE,
    }
  })
  const here = (kind: 'project' | 'group') => {
    const at = place()
    return at?.kind === kind ? { ...asked.value, id: at.id } : null
  }
  const ofProject = usePage('GET /projects/:id/issues', () => here('project'))
  const ofGroup = usePage('GET /groups/:id/issues', () => here('group'))
  const everywhere = usePage('GET /issues', () =>
    place() === null
      ? {
          ...asked.value,
          scope: (SCOPES.find((one) => one.value === state.value.scope)?.value ?? 'all') as 'all',
        }
      : null,
  )
  const list = computed(
    () => ({ project: ofProject, group: ofGroup, all: everywhere })[place()?.kind ?? 'all'],
  )
  const isFiltered = computed(
    () =>
      state.value.search !== '' ||
      state.value.state !== 'opened' ||
      filterKeys.some((key) => state.value[key as 'author'] !== ''),
  )
  const clear = () =>
    set({ search: '', state: 'all', ...Object.fromEntries(filterKeys.map((key) => [key, ''])) })
  return { state, set, list, isFiltered, clear, perPage: PER_PAGE }
}
