import { refDebounced } from '@vueuse/core'
import { computed, ref, watch } from 'vue'
import { useProject } from '../../composables/useProject.ts'
import { useUrlState } from '../../composables/useUrlState.ts'

const PER_PAGE = 50
const TYPING_MS = 150

/** Search and page of the branches or tags, kept in the address; `typed` is what stands in the field. */
export const useRefsList = () => {
  const project = useProject()
  const { state, set } = useUrlState({ search: '', page: 1 })
  const typed = ref(state.value.search)
  const settled = refDebounced(typed, TYPING_MS)
  watch(settled, (search) => search !== state.value.search && set({ search }))
  watch(
    () => state.value.search,
    (search) => search !== settled.value && (typed.value = search),
  )
  const params = computed(() => ({
    id: project.value.id,
    search: state.value.search || undefined,
    page: state.value.page,
    per_page: PER_PAGE,
  }))
  return {
    params,
    typed,
    search: computed(() => state.value.search),
    page: computed(() => state.value.page),
    perPage: PER_PAGE,
    set,
  }
}
