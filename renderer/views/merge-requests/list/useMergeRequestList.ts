import { computed } from 'vue'
import type { Params } from '../../../api/client.ts'
import { usePage } from '../../../api/usePage.ts'
import type { Filter, FilterPlace } from '../../../components/filter/filters.ts'
import { useUrlState } from '../../../composables/useUrlState.ts'
import { t } from '../../../locales/t.ts'

const PER_PAGE = 50
const WORDS = ['None', 'Any'] as const

export const STATES = [
  { value: 'opened', label: t('merge_requests.open') },
  { value: 'merged', label: t('merge_requests.merged') },
  { value: 'closed', label: t('merge_requests.closed') },
  { value: 'all', label: t('common.all') },
] as const
export const SCOPES = [
  { value: 'reviews_for_me', label: t('merge_requests.review_requests') },
  { value: 'assigned_to_me', label: t('merge_requests.assigned_to_you') },
  { value: 'created_by_me', label: t('merge_requests.created_by_you') },
  { value: 'all', label: t('common.all') },
] as const
export const ORDERS = [
  { value: 'created_at', label: t('common.newest') },
  { value: 'updated_at', label: t('merge_requests.last_updated') },
  { value: 'merged_at', label: t('merge_requests.recently_merged') },
  { value: 'milestone_due', label: t('merge_requests.milestone_due_date') },
  { value: 'label_priority', label: t('merge_requests.label_priority') },
  { value: 'popularity', label: t('merge_requests.popularity') },
  { value: 'title', label: t('common.title') },
] as const
type Order = (typeof ORDERS)[number]['value']
/** Ascending sort fields. */
const UPWARDS = new Set<Order>(['milestone_due', 'title', 'label_priority'])

const yesNo = [
  { value: 'yes', label: t('merge_requests.yes') },
  { value: 'no', label: t('merge_requests.no') },
] as const

export const FILTERS: readonly Filter[] = [
  { key: 'author', label: t('common.author'), kind: 'people' },
  { key: 'assignee', label: t('common.assignee'), kind: 'people', words: WORDS },
  { key: 'reviewer', label: t('merge_requests.reviewer'), kind: 'people', words: WORDS },
  { key: 'labels', label: t('common.labels'), kind: 'labels', multiple: true, words: WORDS },
  { key: 'without', label: t('merge_requests.not_label'), kind: 'labels', multiple: true },
  { key: 'milestone', label: t('common.milestone'), kind: 'milestone', words: WORDS },
  { key: 'draft', label: t('merge_requests.draft'), kind: 'choice', options: yesNo },
  { key: 'approved', label: t('merge_requests.approved_by'), kind: 'people', words: WORDS },
  { key: 'target', label: t('merge_requests.target'), kind: 'branch' },
  { key: 'source', label: t('merge_requests.source'), kind: 'branch' },
]
const filterKeys = FILTERS.map((one) => one.key)

type Query = Omit<Params<'GET /merge_requests'>, 'scope'>

const someone = (name: string): Query =>
  name === 'None' || name === 'Any' ? { assignee_id: name } : name ? { assignee_username: [name] } : {}

/** Filters, order and page of a list of merge requests, stored in the address, and the matching rows. */
export const useMergeRequestList = (place: () => FilterPlace) => {
  const { state, set } = useUrlState({
    state: 'opened' as string,
    scope: 'reviews_for_me' as string,
    search: '',
    order: 'created_at' as string,
    author: '',
    assignee: '',
    reviewer: '',
    labels: '',
    without: '',
    milestone: '',
    draft: '',
    approved: '',
    target: '',
    source: '',
    page: 1,
  })
  const asked = computed<Query>(() => {
    const now = state.value
    const order = ORDERS.find((one) => one.value === now.order)?.value ?? 'created_at'
    return {
      state: STATES.find((one) => one.value === now.state)?.value ?? 'opened',
      search: now.search || undefined,
      author_username: now.author || undefined,
      ...someone(now.assignee),
      reviewer_username: now.reviewer || undefined,
      labels: now.labels ? now.labels.split(',') : undefined,
      not: now.without ? { labels: now.without.split(',') } : undefined,
      milestone: now.milestone || undefined,
      draft: now.draft === '' ? undefined : now.draft === 'yes',
      approved_by_usernames: now.approved ? [now.approved] : undefined,
      target_branch: now.target || undefined,
      source_branch: now.source || undefined,
      order_by: order,
      sort: UPWARDS.has(order) ? 'asc' : 'desc',
      with_labels_details: true,
      page: now.page,
      per_page: PER_PAGE,
    }
  })
  const here = (kind: 'project' | 'group') => {
    const at = place()
    return at?.kind === kind ? { ...asked.value, id: at.id } : null
  }
  const scope = computed(() => SCOPES.find((one) => one.value === state.value.scope)?.value ?? 'all')
  const ofProject = usePage('GET /projects/:id/merge_requests', () => here('project'))
  const ofGroup = usePage('GET /groups/:id/merge_requests', () => here('group'))
  const everywhere = usePage('GET /merge_requests', () =>
    place() === null ? { ...asked.value, scope: scope.value } : null,
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
