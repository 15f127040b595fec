import { toValue, type MaybeRefOrGetter } from 'vue'
import { api, type GetEndpoint, type Params, type Result } from './client.ts'
import { apiKey } from './keys.ts'
import { useAnswer, type AnswerOptions } from './useAnswer.ts'

/**
 * A cached answer of the instance, keyed by endpoint and parameters. Parameters that are null mean: not yet.
 * Returns refs: `data`, `error`, `isPending` (nothing to show yet), `isLoading` (a request is in progress), `refetch`, `reload`.
 */
export const useApi = <E extends GetEndpoint>(
  endpoint: E,
  params: MaybeRefOrGetter<Params<E> | null | undefined>,
  options: AnswerOptions = {},
) =>
  useAnswer<Result<E>>(() => {
    const given = toValue(params)
    return (
      given && {
        key: apiKey(endpoint, given),
        load: (signal) =>
          (api as (endpoint: E, params: unknown, options: unknown) => Promise<Result<E>>)(endpoint, given, {
            signal,
          }),
      }
    )
  }, options)
