import { LRUCache } from 'lru-cache'

import type { Ctx } from '../../ctx.ts'
import type { ReadWatch } from '../../db/changes.ts'
import type { Tables } from '../../db/statement-tables.ts'
import { isoDate } from '../../lib/clock.ts'

/** Limit of the cached answers, in bytes; short texts count their characters. */
const MAX_BYTES = 8 * 1024 * 1024

/** The number of recorded hashes of earlier requests; a power of two. */
const MAX_HASHES = 16_384

/** A cached answer with status 200. */
export interface CachedAnswer {
  readonly body: string | Buffer
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

interface Entry {
  readonly answer: CachedAnswer
  /** The tables that the answer was computed from. */
  readonly reads: Tables
  /** The generation at which the answer was last valid. */
  since: number
}

/**
 * Cached answers of pure endpoints, valid until a table changes that they were computed from. Only this process writes
 * to the database.
 */
export class AnswerCache {
  readonly #answers = new LRUCache<string, Entry>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ answer }, key) => answer.body.length + key.length + 200,
  })

  /** Hashes of earlier requests, by their last bits. */
  readonly #hashes = new Int32Array(MAX_HASHES)

  /**
   * The cached answer to the same request of the same actor on the same day; undefined after a change of its tables.
   */
  get(ctx: Ctx, target: string): CachedAnswer | undefined {
    const hit = this.#answers.get(keyOf(ctx, target))
    if (!hit || !ctx.db.isUnchanged(hit.reads, hit.since)) return undefined
    hit.since = ctx.db.generation
    return hit.answer
  }

  /**
   * Caches an answer with the tables that it was computed from, but not at the first request: a client that walks
   * through many records must not push out frequent answers.
   */
  put(ctx: Ctx, target: string, watch: ReadWatch, answer: CachedAnswer): void {
    const key = keyOf(ctx, target)
    const hash = hashOf(key)
    const slot = hash & (MAX_HASHES - 1)
    if (this.#hashes[slot] === hash)
      this.#answers.set(key, { answer, reads: watch.end(), since: watch.since })
    else this.#hashes[slot] = hash
  }
}

/** FNV-1a, 32 bits. Keys are short, and a collision only caches an answer too early. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  return hash | 0
}

/**
 * The key contains the day, because memberships and tokens expire by day, and `is_admin`, because some tokens of
 * administrators lack the rights of an administrator.
 */
function keyOf(ctx: Ctx, target: string): string {
  const { kind, id, is_admin } = ctx.actor
  return `${kind}:${id}:${is_admin}:${isoDate(ctx.now)} ${target}`
}
