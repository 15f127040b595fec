import { LRUCache } from 'lru-cache'
import type { Database } from '../../../db/database.ts'

const MAX_KNOWN = 5000

/**
 * Returns the result for a signed object and a key, computed once: neither ever changes, so a result never becomes
 * stale. The owner of a key and their addresses are not part of the result.
 */
export async function remembered<T>(db: Database, key: string, compute: () => T | Promise<T>): Promise<T> {
  const cache = db.instance(
    'repository.signatures',
    () => new LRUCache<string, { readonly value: unknown }>({ max: MAX_KNOWN }),
    { ofContent: true },
  )
  const hit = cache.get(key)
  if (hit) return hit.value as T
  const value = await compute()
  cache.set(key, { value })
  return value
}
