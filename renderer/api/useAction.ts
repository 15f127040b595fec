import { useQueryCache, type UseQueryEntry } from '@pinia/colada'
import { computed, ref, shallowRef } from 'vue'
import { ApiError } from './client.ts'
import { messageOf } from './errors.ts'
import { readKey } from './keys.ts'
import { useToasts } from '../stores/toasts.ts'

export type ActionOptions<A extends unknown[], R> = {
  run: (...args: A) => Promise<R>
  /** Endpoints whose cached answers this write makes stale, for instance `GET /projects`. A trailing `*` matches all endpoints below. */
  invalidates?: readonly string[]
  /** The success message. */
  done?: string | ((result: R) => string | null)
  onDone?: (result: R, ...args: A) => void | Promise<unknown>
  /** Where an error is shown: at the fields of a form, or in a toast (default). */
  report?: 'toast' | 'form'
}

const touches = (patterns: readonly string[], endpoint: string) =>
  patterns.some((pattern) =>
    pattern.endsWith('*') ? endpoint.startsWith(pattern.slice(0, -1)) : endpoint === pattern,
  )

/**
 * A write: pending state, the server's refusal as `message` and `fields`, stale answers refetched, a toast at the end.
 * `run` returns the result, or undefined when it failed. A second call while one is pending is ignored.
 */
export const useAction = <A extends unknown[], R>(options: ActionOptions<A, R>) => {
  const cache = useQueryCache()
  const toasts = useToasts()
  const pending = ref(false)
  const message = ref<string | null>(null)
  /** What the API refused, with its original message. */
  const refused = shallowRef<ApiError | null>(null)
  const fields = computed(() => refused.value?.fields ?? {})

  const reset = () => {
    message.value = null
    refused.value = null
  }

  const invalidate = () => {
    const patterns = options.invalidates ?? []
    if (patterns.length === 0) return
    const predicate = (entry: UseQueryEntry) => touches(patterns, readKey(entry.key)?.endpoint ?? '')
    // Views show their own load errors; the write itself has succeeded.
    cache.invalidateQueries({ predicate }).catch(() => undefined)
  }

  const refuse = (error: unknown) => {
    message.value = messageOf(error)
    if (error instanceof ApiError) refused.value = error
    if (options.report !== 'form') toasts.show({ text: message.value, kind: 'bad' })
  }

  const run = async (...args: A): Promise<R | undefined> => {
    if (pending.value) return undefined
    pending.value = true
    reset()
    try {
      const result = await options.run(...args)
      invalidate()
      const text = typeof options.done === 'function' ? options.done(result) : options.done
      if (text) toasts.show({ text })
      await options.onDone?.(result, ...args)
      return result
    } catch (error) {
      refuse(error)
      return undefined
    } finally {
      pending.value = false
    }
  }

  return { run, pending, message, fields, refused, reset }
}
