import { useQuery, type EntryKey } from '@pinia/colada'
import { until } from '@vueuse/core'
import type { ApiError } from './client.ts'

/** How an answer is loaded. `load` uses values that were read when it was made, so that it always belongs to its key. */
export type Wanted<R> = { key: EntryKey; load: (signal: AbortSignal) => Promise<R> }

export type AnswerOptions = {
  /** Milliseconds for which an answer counts as fresh; events of the live stream make it stale earlier. */
  staleTime?: number
  /** Show the answer of the previous parameters while the next one loads. */
  keepPrevious?: boolean
}

let callers = 0

/**
 * A cached answer; null means: not yet. All callers of one answer share its cache entry, which loads again in the way
 * that the last caller gave. So a caller that waits has an entry of its own: it cannot switch off an answer that
 * others show. Only this function uses `useQuery`.
 */
export const useAnswer = <R>(wanted: () => Wanted<R> | null | undefined, options: AnswerOptions = {}) => {
  const waiting: EntryKey = ['waiting', ++callers]
  const shared = {
    ...(options.staleTime === undefined ? {} : { staleTime: options.staleTime }),
    ...(options.keepPrevious ? { placeholderData: (previous: unknown) => previous as never } : {}),
  }
  const query = useQuery<R, ApiError>(() => {
    const now = wanted()
    return now
      ? { ...shared, key: now.key, query: ({ signal }) => now.load(signal) }
      : { ...shared, key: waiting, query: never, enabled: false, gcTime: 0 }
  })
  /** Loads current data, unless the caller waits. */
  const refetch = async (): Promise<void> => {
    if (wanted()) await query.refetch()
  }
  /** As `refetch`. A newer request, such as one after an event, cancels an older one; this waits for the last one. */
  const reload = async (): Promise<void> => {
    await refetch()
    await until(query.asyncStatus).toBe('idle')
  }
  return { ...query, refetch, reload }
}

const never = () => new Promise<never>(() => undefined)
