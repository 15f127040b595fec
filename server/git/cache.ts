import { LRUCache } from 'lru-cache'
import type { Repo } from './types.ts'

type CacheEntry = { readonly content: object }

/**
 * A bounded cache of data that never changes, because an object id identifies it: commits, trees, diffs. The least
 * recently used entry is removed first. Each entry belongs to one repository, because a caller who may read an id in one
 * repository may not be allowed to read it in another.
 */
export class GitCache {
  readonly #entries: LRUCache<string, CacheEntry>

  /** @param maxBytes upper limit for the estimated size of all entries */
  constructor(maxBytes: number) {
    this.#entries = new LRUCache({ maxSize: maxBytes, maxEntrySize: Math.ceil(maxBytes / 3) })
  }

  get<T extends object>(repo: Repo, kind: string, id: string): T | undefined {
    return this.#entries.get(keyOf(repo, kind, id))?.content as T | undefined
  }

  set<T extends object>(repo: Repo, kind: string, id: string, entry: { content: T; bytes: number }): T {
    const size = Math.max(1, Math.ceil(entry.bytes))
    this.#entries.set(keyOf(repo, kind, id), { content: entry.content }, { size })
    return entry.content
  }

  clear(): void {
    this.#entries.clear()
  }

  /** Removes all entries of one repository. */
  forget(repo: Repo): void {
    const prefix = keyOf(repo, '', '').slice(0, -1)
    const keys = Array.from(this.#entries.keys()).filter((key) => key.startsWith(prefix))
    for (const key of keys) this.#entries.delete(key)
  }
}

function keyOf(repo: Repo, kind: string, id: string): string {
  return `${repo.key}\0${kind}\0${id}`
}
