import { LRUCache } from 'lru-cache'
import type { Database } from '../../../db/database.ts'

const MAX_RESULTS = 5000

/**
 * Returns the cached result of a verification, or computes it. `key` names the signed object and the signing key,
 * which never change. So the result must not depend on anything else, such as the owner of the key.
 */
export async function cachedResult<T>(db: Database, key: string, compute: () => T | Promise<T>): Promise<T> {
  const cache = db.instance(
    'repository.signatures',
    () => new LRUCache<string, { readonly value: unknown }>({ max: MAX_RESULTS }),
    { dependsOnRows: true },
  )
  const hit = cache.get(key)
  if (hit) return hit.value as T
  const value = await compute()
  cache.set(key, { value })
  return value
}
