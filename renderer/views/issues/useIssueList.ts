import { computed } from 'vue'
import { usePage } from '../../api/usePage.ts'
import type { Filter, FilterPlace } from '../../components/filter/filters.ts'
import { useUrlState } from '../../composables/useUrlState.ts'

const PER_PAGE = 50
const WORDS = ['None', 'Any'] as const

export const STATES = [
  { value: 'opened', label: 'Open' },
  { value: 'closed', label: 'Closed' },
  { value: 'all', label: 'All' },
] as const
export const SCOPES = [
  { value: 'assigned_to_me', label: 'Assigned to you' },
  { value: 'created_by_me', label: 'Created by you' },
  { value: 'all', label: 'All' },
] as const
export const ORDERS = [
  { value: 'created_at', label: 'Newest' },
  { value: 'updated_at', label: 'Changed last' },
  { value: 'due_date', label: 'Due first' },
  { value: 'milestone_due', label: 'Milestone due first' },
  { value: 'label_priority', label: 'Label priority' },
  { value: 'popularity', label: 'Most liked' },
  { value: 'title', label: 'Title' },
  { value: 'relative_position', label: 'By hand' },
] as const
type Order = (typeof ORDERS)[number]['value']
/** Ascending sort fields. */
const UPWARDS = new Set<Order>(['due_date', 'milestone_due', 'title', 'label_priority', 'relative_position'])

export const FILTERS: readonly Filter[] = [
  { key: 'author', label: 'Author', kind: 'people' },
  { key: 'assignee', label: 'Assignee', kind: 'people', words: WORDS },
  { key: 'labels', label: 'Labels', kind: 'labels', multiple: true, words: WORDS },
  { key: 'without', label: 'Not label', kind: 'labels', multiple: true },
  { key: 'milestone', label: 'Milestone', kind: 'milestone', words: [...WORDS, 'Upcoming', 'Started'] },
  {
    key: 'due',
    label: 'Due',
    kind: 'choice',
    options: [
      { value: 'overdue', label: 'overdue' },
      { value: 'today', label: 'today' },
      { value: 'tomorrow', label: 'tomorrow' },
      { value: 'week', label: 'this week' },
      { value: 'month', label: 'this month' },
      { value: '0', label: 'no day' },
    ],
  },
  {
    key: 'type',
    label: 'Type',
    kind: 'choice',
    options: [
      { value: 'issue', label: 'issue' },
      { value: 'incident', label: 'incident' },
      { value: 'task', label: 'task' },
      { value: 'test_case', label: 'test case' },
    ],
  },
  {
    key: 'confidential',
    label: 'Confidential',
    kind: 'choice',
    options: [
      { value: 'true', label: 'yes' },
      { value: 'false', label: 'no' },
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
