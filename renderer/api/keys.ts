import type { EntryKey } from '@pinia/colada'
import type { Endpoint, Params } from './client.ts'

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }

const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null)) as Json

/** Key of a cached answer: its endpoint and its parameters; a list page is a different answer from the bare list. */
export const apiKey = <E extends Endpoint>(endpoint: E, params: Params<E>): EntryKey => [
  endpoint,
  plain(params),
]

/** Key of one page of a list, headers included. */
export const pageKey = <E extends Endpoint>(endpoint: E, params: Params<E>): EntryKey => [
  endpoint,
  plain(params),
  'page',
]

/** Cache key of the headers of an answer; stale together with the answer. */
export const headKey = <E extends Endpoint>(endpoint: E, params: Params<E>): EntryKey => [
  endpoint,
  plain(params),
  'head',
]

/** The endpoint and the parameters of a cache key, or undefined for other keys. */
export const readKey = (
  key: readonly unknown[],
): { endpoint: string; params: Record<string, unknown> } | null => {
  const [endpoint, params] = key
  if (typeof endpoint !== 'string' || !endpoint.includes(' /')) return null
  return { endpoint, params: (params ?? {}) as Record<string, unknown> }
}
