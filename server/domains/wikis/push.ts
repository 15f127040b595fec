import type { Ctx } from '../../ctx.ts'
import { enqueue } from '../../jobs/job.ts'
import type { PushRules, RefChange } from '../repository/index.ts'
import { notWritable } from './repository.ts'
import { LOOK_AFTER_MS, settle, settleMove, type Move } from './settling.ts'
import * as store from './store.ts'
import type { WikiRow } from './wiki.ts'

/** How pushes to a wiki are judged and remembered. */
export function rulesOf(ctx: Ctx, id: number): PushRules {
  return {
    refusal: async (changes) => {
      const wiki = store.byId(ctx.db, id)
      if (!wiki) return 'The wiki is gone.'
      return notWritable(ctx, wiki) ?? refusalOfRefs(wiki, changes)
    },
    announce(changes) {
      const move: Move = {
        wiki_id: id,
        actor_id: ctx.actor.id,
        changes: changes.map(({ ref, old, new: next }) => ({ ref, old, new: next })),
        moved_at: ctx.now,
      }
      enqueue(ctx, settleMove, move, { delay: LOOK_AFTER_MS })
      return (happened) =>
        settle(
          ctx,
          move,
          happened.map(({ ref, old, new: next }) => ({ ref, old, new: next })),
        )
    },
  }
}

/** A wiki has branches, and the one that is read stays. */
function refusalOfRefs({ default_branch }: WikiRow, changes: readonly RefChange[]): string | undefined {
  for (const change of changes) {
    if (!change.ref.startsWith('refs/heads/')) return 'A wiki has branches only; nothing else can be pushed.'
    const isRead = change.ref === `refs/heads/${default_branch}`
    if (isRead && change.new === null) return `The branch ${default_branch} of a wiki cannot be deleted.`
  }
  return undefined
}
