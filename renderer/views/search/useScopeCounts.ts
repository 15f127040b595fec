import { useQuery } from '@pinia/colada'
import { computed } from 'vue'
import { apiPage } from '../../api/client.ts'
import { AT, SCOPES, type SearchPlace, type SearchScope } from './scopes.ts'

type Asked = { place: SearchPlace; id: number; search: string }

/** The number of results of each scope; none for scopes without permission. */
export const useScopeCounts = (asked: () => Asked) => {
  const found = useQuery({
    key: () => ['search counts', asked().place, asked().id, asked().search],
    query: async ({ signal }) => {
      const { place, id, search } = asked()
      const counts = SCOPES[place].map(async ({ value }): Promise<[SearchScope, number]> => {
        const params = { id, scope: value, search, per_page: 1 } as never
        const page = await apiPage(AT[place], params, { signal }).catch(() => null)
        return [value, page?.total ?? 0]
      })
      return new Map(await Promise.all(counts))
    },
    enabled: () => asked().search !== '',
    placeholderData: (previous) => previous,
  })
  return computed<ReadonlyMap<SearchScope, number> | undefined>(() => found.data.value)
}
