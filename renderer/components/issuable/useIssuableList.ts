import { computed, type Component } from 'vue'
import type { Item, ListEndpoint, Params } from '../../api/client.ts'
import { usePage, type Paged } from '../../api/usePage.ts'
import { useUrlState } from '../../composables/useUrlState.ts'
import type { BulkRow } from '../pick/bulk-edit.ts'
import type { Filter, FilterOwner } from '../filter/filters.ts'

type Option = { value: string; label: string }
type Filters = Record<string, string>

/** What only a list of issues, or only a list of merge requests, has. */
export type IssuableKind<E extends ListEndpoint> = {
  name: 'issue' | 'merge_request'
  icon: Component
  texts: Record<
    'title' | 'label' | 'make' | 'noMatch' | 'all' | 'noneYet' | 'noneFound' | 'noneOpen' | 'about',
    string
  >
  endpoints: Record<'project' | 'group' | 'all', E>
  states: readonly Option[]
  /** The choices without a project or group; the first one is the default. */
  scopes: readonly Option[]
  orders: readonly Option[]
  /** The orders that sort upwards. */
  upwards: readonly string[]
  filters: readonly Filter[]
  /** The parameters of the filters that the other kind does not have. */
  own: (filters: Filters) => Partial<Params<E>>
}

type State = { state: string; scope: string; search: string; order: string; page: number }
const PER_PAGE = 50
/** Additional values of filters for people, labels and milestones. */
export const WORDS = ['None', 'Any'] as const

const known = (options: readonly Option[], value: string, otherwise: string) =>
  options.some((one) => one.value === value) ? value : otherwise

const assignedTo = (name: string) => {
  if (name === 'None' || name === 'Any') return { assignee_id: name }
  return name ? { assignee_username: [name] } : {}
}

/** Filters, order and page of a list of issues or merge requests, stored in the address, and the matching rows. */
export const useIssuableList = <E extends ListEndpoint>(kind: IssuableKind<E>, owner: FilterOwner) => {
  const keys = kind.filters.map((one) => one.key)
  const none = Object.fromEntries(keys.map((key) => [key, '']))
  const { state, set } = useUrlState<State & Record<string, string | number>>({
    ...none,
    state: 'opened',
    scope: kind.scopes[0]?.value ?? 'all',
    search: '',
    order: 'created_at',
    page: 1,
  })
  const filters = computed<Filters>(() =>
    Object.fromEntries(keys.map((key) => [key, String(state.value[key])])),
  )
  const asked = computed(() => {
    const now = state.value
    const { author, assignee = '', labels, without, milestone } = filters.value
    const order = known(kind.orders, now.order, 'created_at')
    return {
      ...kind.own(filters.value),
      ...(owner ? { id: owner.id } : { scope: known(kind.scopes, now.scope, 'all') }),
      state: known(kind.states, now.state, 'opened'),
      search: now.search || undefined,
      author_username: author || undefined,
      ...assignedTo(assignee),
      labels: labels ? labels.split(',') : undefined,
      not: without ? { labels: without.split(',') } : undefined,
      milestone: milestone || undefined,
      order_by: order,
      sort: kind.upwards.includes(order) ? 'asc' : 'desc',
      with_labels_details: true,
      page: now.page,
      per_page: PER_PAGE,
    }
  })
  const list = usePage(
    kind.endpoints[owner?.kind ?? 'all'],
    () => asked.value as unknown as Params<E>,
  ) as unknown as Paged<Item<E> & BulkRow & { id: number }>
  const isFiltered = computed(
    () =>
      state.value.search !== '' ||
      state.value.state !== 'opened' ||
      Object.values(filters.value).some((value) => value !== ''),
  )
  const clear = () => set({ ...none, search: '', state: 'all' } as Partial<State>)
  return { state, set, list, isFiltered, clear, perPage: PER_PAGE }
}
