import type { Ctx } from '../../ctx.ts'
import { tx, type Database } from '../../db/database.ts'
import { IDENTITY_COLUMNS, type Identity } from './store.ts'

/** An OAuth access token with its user; a token of client credentials has no user. */
export type OAuthIdentity = Omit<Identity, 'user_id'> & {
  user_id: number | null
  oauth_token_id: number
  scopes: string[]
  expires_at: string
  revoked_at: string | null
  last_used_at: string | null
  previous_id: number | null
}

/** Returns the OAuth access token with a digest, and its user. */
export function oauthIdentity(db: Database, digest: string): OAuthIdentity | undefined {
  return db.one<OAuthIdentity>(
    `SELECT t.id AS oauth_token_id, t.scopes, t.expires_at, t.revoked_at, t.last_used_at, t.previous_id, ${IDENTITY_COLUMNS}
     FROM oauth_tokens t LEFT JOIN users u ON u.id = t.user_id WHERE t.digest = ?`,
    digest,
  )
}

/**
 * Records the first use of a token, and revokes the pair that it was refreshed from (spec core 8.12). The revocation
 * must be immediate, so this does not wait for the next bookkeeping.
 */
export function recordFirstUse(ctx: Ctx, token: Pick<OAuthIdentity, 'oauth_token_id' | 'previous_id'>): void {
  tx(ctx.db, () => {
    ctx.db.exec('UPDATE oauth_tokens SET last_used_at = ? WHERE id = ?', ctx.now, token.oauth_token_id)
    if (token.previous_id === null) return
    ctx.db.exec(
      'UPDATE oauth_tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
      ctx.now,
      token.previous_id,
    )
  })
}

/** Records a later use of a token, within the next minute. */
export function recordUse(ctx: Ctx, id: number): void {
  ctx.bookkeeping.collect(
    `oauth-used:${id}`,
    'UPDATE oauth_tokens SET last_used_at = ? WHERE id = ?',
    ctx.now,
    id,
  )
}
