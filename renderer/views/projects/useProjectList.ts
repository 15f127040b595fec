import { computed } from 'vue'
import { usePage } from '../../api/usePage.ts'
import type { Visibility } from '../../api/types.ts'
import { useUrlState } from '../../composables/useUrlState.ts'

const PER_PAGE = 50

export const SCOPES = [
  { value: 'all', label: 'All' },
  { value: 'member', label: 'Member' },
  { value: 'owned', label: 'Yours' },
  { value: 'starred', label: 'Starred' },
] as const
export const ORDERS = [
  { value: 'last_activity_at', label: 'Last activity' },
  { value: 'created_at', label: 'Newest' },
  { value: 'name', label: 'Name' },
] as const
export const STATES = [
  { value: 'active', label: 'Active' },
  { value: 'archived', label: 'Archived' },
  { value: 'any', label: 'Active and archived' },
] as const

type Order = (typeof ORDERS)[number]['value']
export type Scope = (typeof SCOPES)[number]['value']

/** The list of projects with the filters of the URL. */
export const useProjectList = () => {
  const { state, set } = useUrlState({
    search: '',
    topic: '',
    scope: 'all' as string,
    visibility: '' as string,
    state: 'active' as string,
    order: 'last_activity_at' as string,
    page: 1,
  })
  const params = computed(() => {
    const { search, topic, scope, visibility, state: archived, order, page } = state.value
    return {
      topic: topic ? [topic] : undefined,
      search: search || undefined,
      membership: scope === 'member' || undefined,
      owned: scope === 'owned' || undefined,
      starred: scope === 'starred' || undefined,
      visibility: (visibility || undefined) as Visibility | undefined,
      archived: archived === 'any' ? undefined : archived === 'archived',
      order_by: order as Order,
      sort: order === 'name' ? ('asc' as const) : ('desc' as const),
      page,
      per_page: PER_PAGE,
    }
  })
  const list = usePage('GET /projects', params)
  const isFiltered = computed(() => {
    const { search, topic, scope, visibility, state: archived } = state.value
    return search !== '' || topic !== '' || scope !== 'all' || visibility !== '' || archived !== 'active'
  })
  const clear = () => set({ search: '', topic: '', scope: 'all', visibility: '', state: 'active' })
  return { state, set, list, isFiltered, clear, perPage: PER_PAGE }
}
