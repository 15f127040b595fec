import { LRUCache } from 'lru-cache'
import type { Repo } from './types.ts'

/** The time without a new entry after which an instance counts as idle; less than the time until its memory is collected. */
const IDLE_MS = 8000

type CacheEntry = { readonly content: object }

/**
 * A bounded cache of data that never changes, because an object id identifies it: commits, trees, diffs. The least
 * recently used entry is removed first. Each entry belongs to one repository, because a caller who may read an id in one
 * repository may not be allowed to read it in another.
 */
export class GitCache {
  readonly #entries: LRUCache<string, CacheEntry>
  readonly #idleBytes: number
  #isTimed = false
  #hasGrown = false

  /**
   * @param maxBytes upper limit for the estimated size of all entries. Of an idle instance, a sixth of it is kept.
   */
  constructor(maxBytes: number) {
    this.#idleBytes = Math.ceil(maxBytes / 6)
    this.#entries = new LRUCache({ maxSize: maxBytes, maxEntrySize: Math.ceil(maxBytes / 3) })
  }

  get<T extends object>(repo: Repo, kind: string, id: string): T | undefined {
    return this.#entries.get(keyOf(repo, kind, id))?.content as T | undefined
  }

  set<T extends object>(repo: Repo, kind: string, id: string, entry: { content: T; bytes: number }): T {
    const size = Math.max(1, Math.ceil(entry.bytes))
    this.#entries.set(keyOf(repo, kind, id), { content: entry.content }, { size })
    this.#hasGrown = true
    if (!this.#isTimed) this.#startTimer()
    return entry.content
  }

  #startTimer(): void {
    this.#isTimed = true
    setTimeout(() => {
      if (this.#hasGrown) this.#startTimer()
      else this.#shrink()
      this.#hasGrown = false
    }, IDLE_MS).unref()
  }

  #shrink(): void {
    this.#isTimed = false
    while (this.#entries.calculatedSize > this.#idleBytes) this.#entries.pop()
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
