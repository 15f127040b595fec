import { LRUCache } from 'lru-cache'

/**
 * Whether signatures hold, by object and key. Neither ever changes, so nothing of this gets stale; who has a key and
 * which addresses are theirs is asked anew every time.
 */
const known = new LRUCache<string, { readonly value: unknown }>({ max: 5000 })

/** The value of `key`, worked out once. */
export async function remembered<T>(key: string, compute: () => T | Promise<T>): Promise<T> {
  const hit = known.get(key)
  if (hit) return hit.value as T
  const value = await compute()
  known.set(key, { value })
  return value
}
