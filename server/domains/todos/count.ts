import type { Ctx } from '../../ctx.ts'
import { pendingCount } from './store.ts'

/** How many items wait for the actor. */
export function countTodos(ctx: Ctx): number {
  return pendingCount(ctx.db, ctx)
}
