import { computed, ref, toValue, watch, type MaybeRefOrGetter, type Ref } from 'vue'
import { apiPage, type Item, type ListEndpoint, type Page, type Params } from './client.ts'
import { pageKey } from './keys.ts'
import { useAnswer } from './useAnswer.ts'

/**
 * One page of a list, with its counts. Parameters include `page` and `per_page`; null means: not yet. While the next
 * page or the next filter loads, the previous rows stay on the screen (`isStale`).
 */
export const usePage = <E extends ListEndpoint>(
  endpoint: E,
  params: MaybeRefOrGetter<Params<E> | null | undefined>,
) => {
  const query = useAnswer<Page<Item<E>>>(
    () => {
      const given = toValue(params)
      return (
        given && { key: pageKey(endpoint, given), load: (signal) => apiPage(endpoint, given, { signal }) }
      )
    },
    { keepPrevious: true },
  )
  const page = computed(() => query.data.value as Page<Item<E>> | undefined)
  return {
    items: computed<Item<E>[]>(() => page.value?.items ?? []),
    page,
    total: computed(() => page.value?.total ?? null),
    error: query.error,
    isPending: computed(() => query.status.value === 'pending'),
    isStale: query.isPlaceholderData,
    isLoading: query.isLoading,
    refetch: query.refetch,
  }
}

/** A page of rows for a list component. */
export type Paged<T> = {
  items: Readonly<Ref<readonly T[]>>
  page: Readonly<Ref<Page<T> | undefined>>
  total: Readonly<Ref<number | null>>
  error: Readonly<Ref<Error | null>>
  isPending: Readonly<Ref<boolean>>
  isStale: Readonly<Ref<boolean>>
  refetch: () => unknown
  /** Of a list that turns its own pages. */
  pages?: { number: Readonly<Ref<number>>; size: number; turn: (to: number) => void }
}

const PER_PAGE = 100

/** A list that turns its own pages: for views without filters, most of which have a single page. */
export const usePages = <E extends ListEndpoint>(
  endpoint: E,
  params: MaybeRefOrGetter<Omit<Params<E>, 'page' | 'per_page'> | null>,
) => {
  const number = ref(1)
  const list = usePage(endpoint, () => {
    const own = toValue(params)
    return own && ({ ...own, page: number.value, per_page: PER_PAGE } as unknown as Params<E>)
  })
  const turn = (to: number) => {
    number.value = to
  }
  // The last row of the last page was removed.
  watch(
    () => !list.isPending.value && !list.isStale.value && list.items.value.length === 0,
    (isEmpty) => {
      if (isEmpty && number.value > 1) turn(number.value - 1)
    },
  )
  return { ...list, pages: { number, size: PER_PAGE, turn } }
}

/** The pager of such a list; none for a single page. */
export const pagerOf = ({ pages, page, total }: Pick<Paged<unknown>, 'pages' | 'page' | 'total'>) => {
  const nextPage = page.value?.nextPage ?? null
  if (!pages || (pages.number.value === 1 && nextPage === null)) return {}
  return {
    page: pages.number.value,
    perPage: pages.size,
    total: total.value,
    nextPage,
    onPage: pages.turn,
  }
}
