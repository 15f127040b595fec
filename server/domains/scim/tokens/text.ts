import type { Ctx } from '../../../ctx.ts'
import { SCIM_TOKEN_PREFIX } from '../../../lib/aliases.ts'

/** The text of a new token. */
export function drawToken(ctx: Pick<Ctx, 'random'>): string {
  return SCIM_TOKEN_PREFIX + ctx.random.token(20)
}
