import { LRUCache } from 'lru-cache'

import type { Ctx } from '../../ctx.ts'
import { isoDate } from '../../lib/clock.ts'

/** Bound of the memory for kept answers, in characters. */
const MAX_CHARACTERS = 8 * 1024 * 1024

/** Questions remembered as asked before; a power of two. */
const ASKED = 16_384

/** A 200 as it was sent. */
export interface KeptAnswer {
  readonly body: string
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Answers of pure endpoints, kept for as long as nothing has been written. There is one writer, the instance's own
 * connection, so an answer of the same generation is the answer that would be worked out again.
 */
export class AnswerCache {
  readonly #answers = new LRUCache<string, { generation: number; answer: KeptAnswer }>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ answer }, key) => answer.body.length + key.length + 200,
  })

  /** Hashes of questions asked, by their last bits. What is asked only once is not worth keeping. */
  readonly #asked = new Int32Array(ASKED)

  /** The kept answer to the same question of the same actor on the same day; undefined when something was written since. */
  get(ctx: Ctx, target: string): KeptAnswer | undefined {
    const hit = this.#answers.get(keyOf(ctx, target))
    return hit?.generation === ctx.db.generation ? hit.answer : undefined
  }

  /**
   * Keeps an answer that was worked out while the database had the generation `since`, when its question is asked for
   * the second time: a walk through many records would only push out what is asked for again and again.
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

/** FNV-1a, 32 bits: short keys, and a collision only keeps an answer early. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  return hash | 0
}

/** The day is part of the question, because memberships and tokens end by the day. */
function keyOf(ctx: Ctx, target: string): string {
  return `${ctx.actor.kind}:${ctx.actor.id}:${isoDate(ctx.now)} ${target}`
}
