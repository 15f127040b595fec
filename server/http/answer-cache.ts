import { LRUCache } from 'lru-cache'

import type { Ctx } from '../ctx.ts'
import { isoDate } from '../lib/clock.ts'

/** Bound of the memory for kept answers, in characters. */
const MAX_CHARACTERS = 8 * 1024 * 1024

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

  /** The kept answer to the same question of the same actor on the same day; undefined when something was written since. */
  get(ctx: Ctx, target: string): KeptAnswer | undefined {
    const hit = this.#answers.get(keyOf(ctx, target))
    return hit?.generation === ctx.db.generation ? hit.answer : undefined
  }

  /** Keeps an answer that was worked out while the database had the generation `since`. */
  keep(ctx: Ctx, target: string, since: number, answer: KeptAnswer): void {
    if (since === ctx.db.generation) this.#answers.set(keyOf(ctx, target), { generation: since, answer })
  }
}

/** The day is part of the question, because memberships and tokens end by the day. */
function keyOf(ctx: Ctx, target: string): string {
  return `${ctx.actor.kind}:${ctx.actor.id}:${isoDate(ctx.now)} ${target}`
}
