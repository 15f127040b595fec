import { timingSafeEqual } from 'node:crypto'

import type { Ctx } from '../../../ctx.ts'
import { SCIM_TOKEN_PREFIX } from '../../../lib/aliases.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import type { ScimTokenRow } from './store.ts'

/** The text of a new token. */
export function drawToken(ctx: Pick<Ctx, 'random'>): string {
  return SCIM_TOKEN_PREFIX + ctx.random.token(20)
}

/** Whether a request shows the token (`Authorization: Bearer …`). */
export function tokenHolds(ctx: Ctx, row: ScimTokenRow, authorization: string): boolean {
  const [, shown] = /^bearer[ \t]+(\S+)[ \t]*$/i.exec(authorization) ?? []
  if (shown === undefined) return false
  const holds = timingSafeEqual(Buffer.from(tokenDigest(shown)), Buffer.from(row.token_digest))
  const sql = 'UPDATE scim_tokens SET last_used_at = ? WHERE id = ?'
  if (holds) ctx.bookkeeping.note(`scim-token-used:${row.id}`, sql, ctx.now, row.id)
  return holds
}
