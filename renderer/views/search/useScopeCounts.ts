import { computed } from 'vue'
import { apiPage } from '../../api/client.ts'
import { useAnswer } from '../../api/useAnswer.ts'
import { AT, SCOPES, type SearchLevel, type SearchScope } from './scopes.ts'

type Asked = { level: SearchLevel; id: number; search: string }

/** The number of results of each scope; none for scopes without permission. */
export const useScopeCounts = (asked: () => Asked) => {
  const found = useAnswer<ReadonlyMap<SearchScope, number>>(
    () => {
      const { level, id, search } = asked()
      if (search === '') return null
      const load = async (signal: AbortSignal) => {
        const counts = SCOPES[level].map(async ({ value }): Promise<[SearchScope, number]> => {
          const params = { id, scope: value, search, per_page: 1 } as never
          const page = await apiPage(AT[level], params, { signal }).catch(() => null)
          return [value, page?.total ?? 0]
        })
        return new Map(await Promise.all(counts))
      }
      return { key: ['search counts', level, id, search], load }
    },
    { keepPrevious: true },
  )
  return computed(() => found.data.value)
}
