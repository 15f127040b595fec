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

/** Key of the headers of an answer alone; stale when the answer is. */
export const headKey = <E extends Endpoint>(endpoint: E, params: Params<E>): EntryKey => [
  endpoint,
  plain(params),
  'head',
]

/** The endpoint and the parameters that a key stands for, if it is one of ours. */
export const readKey = (
  key: readonly unknown[],
): { endpoint: string; params: Record<string, unknown> } | null => {
  const [endpoint, params] = key
  if (typeof endpoint !== 'string' || !endpoint.includes(' /')) return null
  return { endpoint, params: (params ?? {}) as Record<string, unknown> }
}
