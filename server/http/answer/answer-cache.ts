import { LRUCache } from 'lru-cache'

import type { Ctx } from '../../ctx.ts'
import { isoDate } from '../../lib/clock.ts'

/** Limit of the cached answers, in characters. */
const MAX_CHARACTERS = 8 * 1024 * 1024

/** How many requests are remembered as seen before; a power of two. */
const ASKED = 16_384

/** A cached answer with status 200. */
export interface KeptAnswer {
  readonly body: string
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Cached answers of pure endpoints, valid until the next write. Only this process writes to the database, so an answer
 * of the same generation is still right.
 */
export class AnswerCache {
  readonly #answers = new LRUCache<string, { generation: number; answer: KeptAnswer }>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ answer }, key) => answer.body.length + key.length + 200,
  })

  /** Hashes of earlier requests, by their last bits. A single request is not worth caching. */
  readonly #asked = new Int32Array(ASKED)

  /** The cached answer to the same request of the same actor on the same day; undefined after a write. */
  get(ctx: Ctx, target: string): KeptAnswer | undefined {
    const hit = this.#answers.get(keyOf(ctx, target))
    return hit?.generation === ctx.db.generation ? hit.answer : undefined
  }

  /**
   * Caches an answer that was computed at database generation `since`, from the second request on: a walk through many
   * records must not push out frequent answers.
   */
  keep(ctx: Ctx, target: string, since: number, answer: KeptAnswer): void {
    if (since !== ctx.db.generation) return
    const key = keyOf(ctx, target)
    const hash = hashOf(key)
    const slot = hash & (ASKED - 1)
    if (this.#asked[slot] === hash) this.#answers.set(key, { generation: since, answer })
    else this.#asked[slot] = hash
  }
}

/** FNV-1a, 32 bits. Keys are short, and a collision only caches an answer too early. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  return hash | 0
}

/** The day is part of the key, because memberships and tokens expire by day. */
function keyOf(ctx: Ctx, target: string): string {
  return `${ctx.actor.kind}:${ctx.actor.id}:${isoDate(ctx.now)} ${target}`
}
