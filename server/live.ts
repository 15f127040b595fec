import type { Ctx } from './ctx.ts'

export function mayHear(ctx: Ctx, payload: unknown): boolean {
  return ctx.actor.is_admin || (payload as { user_id?: number }).user_id === ctx.actor.id
}
