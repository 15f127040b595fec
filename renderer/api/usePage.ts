import { useQuery } from '@pinia/colada'
import { computed, toValue, type MaybeRefOrGetter, type Ref } from 'vue'
import { apiPage, type ApiError, type Item, type ListEndpoint, type Page, type Params } from './client.ts'
import { pageKey } from './keys.ts'

/**
 * One page of a list, with its counts. Parameters include `page` and `per_page`; null means: not yet. While the next
 * page or the next filter loads, the previous rows stay on the screen (`isStale`).
 */
export const usePage = <E extends ListEndpoint>(
  endpoint: E,
  params: MaybeRefOrGetter<Params<E> | null | undefined>,
) => {
  const query = useQuery<Page<Item<E>>, ApiError>({
    key: () => pageKey(endpoint, (toValue(params) ?? {}) as Params<E>),
    query: ({ signal }) => apiPage(endpoint, toValue(params) as Params<E>, { signal }),
    enabled: () => toValue(params) != null,
    placeholderData: (previous: unknown) => previous as never,
  })
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

export type PageState = ReturnType<typeof usePage>

/** A page of rows for a list component. */
export type Paged<T> = {
  items: Readonly<Ref<readonly T[]>>
  page: Readonly<Ref<Page<T> | undefined>>
  total: Readonly<Ref<number | null>>
  error: Readonly<Ref<Error | null>>
  isPending: Readonly<Ref<boolean>>
  isStale: Readonly<Ref<boolean>>
  refetch: () => unknown
}
