import type { Ctx } from '../../ctx.ts'
import { inNameOf } from '../planning/index.ts'

/** The context of a job in the name of whoever it follows from; the instance's own where they may not act any more. */
export function actingAs(ctx: Ctx, userId: number | null): Ctx {
  return inNameOf(ctx, userId) ?? ctx
}
