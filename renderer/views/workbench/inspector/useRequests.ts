import { computed } from 'vue'
import type { Params } from '../../../api/client.ts'
import { usePage } from '../../../api/usePage.ts'
import { useUrlState } from '../../../composables/useUrlState.ts'

export const PER_PAGE = 50

const NOTHING = { path: '', client: '', hint: '', status: '', method: '', credential: '', slower_than: '' }

/** The recorded requests, with the filters in the address. */
export const useRequests = () => {
  const { state, set } = useUrlState({ ...NOTHING, page: 1 })
  const filter = computed(() => {
    const { page: _, slower_than, ...texts } = state.value
    const given: Record<string, unknown> = Object.fromEntries(
      Object.entries(texts).filter(([, value]) => value !== ''),
    )
    if (Number(slower_than) > 0) given['slower_than'] = Number(slower_than)
    return given as Params<'GET /-/workbench/inspector/requests'>
  })
  const list = usePage('GET /-/workbench/inspector/requests', () => ({
    ...filter.value,
    page: state.value.page,
    per_page: PER_PAGE,
  }))
  const isFiltered = computed(() => Object.keys(filter.value).length > 0)
  /** The address of the file with all requests that pass. */
  const harAddress = computed(() => {
    const query = new URLSearchParams(
      Object.entries(filter.value).map(([name, value]) => [name, String(value)]),
    )
    return `/-/workbench/inspector/har${query.size > 0 ? `?${query}` : ''}`
  })
  return { state, set, list, isFiltered, harAddress, clear: () => set(NOTHING) }
}
