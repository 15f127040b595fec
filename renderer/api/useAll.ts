import { computed, toValue, type MaybeRefOrGetter } from 'vue'
import { apiPage, type Item, type ListEndpoint, type Params } from './client.ts'
import { apiKey } from './keys.ts'
import { useAnswer } from './useAnswer.ts'

const PER_PAGE = 100

type Whole<T> = { items: T[]; isCut: boolean }

/**
 * Every page of a list, up to a number of pages; `isCut` says that there is more. Parameters that are null mean: not
 * yet. While other parameters load, the former rows stay.
 */
export const useAll = <E extends ListEndpoint>(
  endpoint: E,
  params: MaybeRefOrGetter<Params<E> | null>,
  options: { maxPages: number; keepPrevious?: boolean },
) => {
  const read = async (given: Params<E>, signal: AbortSignal): Promise<Whole<Item<E>>> => {
    const items: Item<E>[] = []
    let page: number | null = 1
    for (let count = 0; page !== null && count < options.maxPages; count++) {
      const asked = { ...given, page, per_page: PER_PAGE } as unknown as Params<E>
      const answer = await apiPage(endpoint, asked, { signal })
      items.push(...answer.items)
      page = answer.nextPage
    }
    return { items, isCut: page !== null }
  }
  const query = useAnswer<Whole<Item<E>>>(() => {
    const given = toValue(params)
    return given && { key: [...apiKey(endpoint, given), 'all'], load: (signal) => read(given, signal) }
  }, options)
  const whole = computed(() => query.data.value as Whole<Item<E>> | undefined)
  return {
    items: computed<Item<E>[]>(() => whole.value?.items ?? []),
    isCut: computed(() => whole.value?.isCut ?? false),
    error: query.error,
    isPending: computed(() => query.status.value === 'pending'),
    refetch: query.refetch,
  }
}
