import { useQuery } from '@pinia/colada'
import { until } from '@vueuse/core'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'
import { api, type ApiError, type GetEndpoint, type Params, type Result } from './client.ts'
import { apiKey } from './keys.ts'

export type UseApiOptions = {
  /** Milliseconds for which an answer counts as fresh; facts of the live stream make it stale earlier. */
  staleTime?: number
  /** Show the answer of the previous parameters while the next one loads. */
  keepPrevious?: boolean
}

/**
 * A cached answer of the instance, keyed by endpoint and parameters. Parameters that are null mean: not yet.
 * Returns refs: `data`, `error`, `isPending` (nothing to show yet), `isLoading` (a request is in progress), `refetch`, `reload`.
 */
export const useApi = <E extends GetEndpoint>(
  endpoint: E,
  params: MaybeRefOrGetter<Params<E> | null | undefined>,
  options: UseApiOptions = {},
) => {
  const query = useQuery<Result<E>, ApiError>({
    key: () => apiKey(endpoint, (toValue(params) ?? {}) as Params<E>),
    query: ({ signal }) =>
      (api as (endpoint: E, params: unknown, options: unknown) => Promise<Result<E>>)(
        endpoint,
        toValue(params),
        {
          signal,
        },
      ),
    enabled: () => toValue(params) != null,
    ...(options.staleTime === undefined ? {} : { staleTime: options.staleTime }),
    ...(options.keepPrevious ? { placeholderData: (previous: unknown) => previous as never } : {}),
  })
  /** Loads current data. A newer request, such as one after an event, cancels an older one; this waits for the last one. */
  const reload = async (): Promise<void> => {
    await query.refetch()
    await until(query.asyncStatus).toBe('idle')
  }
  return { ...query, isPending: computed(() => query.status.value === 'pending'), reload }
}
