import { LRUCache } from 'lru-cache'
import type { Repo } from './types.ts'

type Kept = { readonly content: object }

/**
 * A bounded cache of data that an object id identifies, so that it never changes: commits, trees, diffs. The entry that
 * was unused for the longest time goes first. Entries belong to one repository, because a caller who may read an id in
 * one repository may not be allowed to read it in another.
 */
export class GitCache {
  readonly #entries: LRUCache<string, Kept>

  /** @param maxBytes upper bound of the estimated size of everything kept */
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

  /** Forgets everything about one repository. */
  forget(repo: Repo): void {
    const prefix = keyOf(repo, '', '').slice(0, -1)
    const keys = Array.from(this.#entries.keys()).filter((key) => key.startsWith(prefix))
    for (const key of keys) this.#entries.delete(key)
  }
}

function keyOf(repo: Repo, kind: string, id: string): string {
  return `${repo.key}\0${kind}\0${id}`
}
