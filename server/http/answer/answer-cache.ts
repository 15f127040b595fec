import { LRUCache } from 'lru-cache'

import type { Ctx } from '../../ctx.ts'
import type { ReadWatch } from '../../db/changes.ts'
import type { Tables } from '../../db/statement-tables.ts'
import { isoDate } from '../../lib/clock.ts'

/** Limit of the cached answers, in characters. */
const MAX_CHARACTERS = 8 * 1024 * 1024

/** The number of requests that are recorded as seen before; a power of two. */
const ASKED = 16_384

/** A cached answer with status 200. */
export interface KeptAnswer {
  readonly body: string
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

interface Entry {
  readonly answer: KeptAnswer
  /** The tables that it was computed from. */
  readonly reads: Tables
  /** The generation at which it was last valid. */
  since: number
}

/**
 * Cached answers of pure endpoints, valid until a table changes that they were computed from. Only this process writes
 * to the database.
 */
export class AnswerCache {
  readonly #answers = new LRUCache<string, Entry>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ answer }, key) => answer.body.length + key.length + 200,
  })

  /** Hashes of earlier requests, by their last bits. A single request is not worth caching. */
  readonly #asked = new Int32Array(ASKED)

  /**
   * The cached answer to the same request of the same actor on the same day; undefined after a change of its tables.
   */
  get(ctx: Ctx, target: string): KeptAnswer | undefined {
    const hit = this.#answers.get(keyOf(ctx, target))
    if (!hit || !ctx.db.isUnchanged(hit.reads, hit.since)) return undefined
    hit.since = ctx.db.generation
    return hit.answer
  }

  /**
   * Caches an answer with the tables that it was computed from. Stores it only from the second request on: a walk
   * through many records must not push out frequent answers.
   */
  keep(ctx: Ctx, target: string, watch: ReadWatch, answer: KeptAnswer): void {
    const key = keyOf(ctx, target)
    const hash = hashOf(key)
    const slot = hash & (ASKED - 1)
    if (this.#asked[slot] === hash) this.#answers.set(key, { answer, reads: watch.end(), since: watch.since })
    else this.#asked[slot] = hash
  }
}

/** FNV-1a, 32 bits. Keys are short, and a collision only caches an answer too early. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  return hash | 0
}

/**
 * The day is part of the key, because memberships and tokens expire by day; some tokens of administrators do not
 * administer.
 */
function keyOf(ctx: Ctx, target: string): string {
  const { kind, id, is_admin } = ctx.actor
  return `${kind}:${id}:${is_admin}:${isoDate(ctx.now)} ${target}`
}
