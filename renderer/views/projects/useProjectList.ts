import { computed } from 'vue'
import { usePage } from '../../api/usePage.ts'
import type { Visibility } from '../../api/types.ts'
import { useUrlState } from '../../composables/useUrlState.ts'
import { t } from '../../locales/t.ts'

const PER_PAGE = 50

export const SCOPES = [
  { value: 'all', label: t('common.all') },
  { value: 'member', label: t('projects.member') },
  { value: 'owned', label: t('common.yours') },
  { value: 'starred', label: t('common.starred') },
] as const
export const ORDERS = [
  { value: 'last_activity_at', label: t('projects.last_activity') },
  { value: 'created_at', label: t('common.newest') },
  { value: 'name', label: t('common.name') },
] as const
export const STATES = [
  { value: 'active', label: t('common.active') },
  { value: 'archived', label: t('common.archived') },
  { value: 'any', label: t('projects.active_and_archived') },
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
