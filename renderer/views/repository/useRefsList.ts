import { computed } from 'vue'
import { useProject } from '../../composables/useProject.ts'
import { useUrlState } from '../../composables/useUrlState.ts'
import { t } from '../../locales/t.ts'

const PER_PAGE = 50
export type RefOrder = 'updated' | 'name'
export const REF_ORDERS = [
  { value: 'updated', label: t('repository.newest_first') },
  { value: 'name', label: t('repository.name') },
] as const

/** Search, order and page of the branches or tags, stored in the address. */
export const useRefsList = () => {
  const project = useProject()
  const { state, set } = useUrlState({ search: '', order: 'updated' as string, page: 1 })
  const params = () => ({
    id: project.value.id,
    search: state.value.search || undefined,
    page: state.value.page,
    per_page: PER_PAGE,
  })
  return {
    params,
    search: computed(() => state.value.search),
    order: computed<RefOrder>(() => (state.value.order === 'name' ? 'name' : 'updated')),
    page: computed(() => state.value.page),
    perPage: PER_PAGE,
    set,
  }
}
