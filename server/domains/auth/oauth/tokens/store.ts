import type { Selectable } from 'kysely'

import { q, type Database, tx } from '../../../../db/database.ts'
import type { OauthTokensTable, OauthGrantsTable } from '../../../../db/schema.gen.ts'
import type { Ctx } from '../../../../ctx.ts'
import { IDENTITY_COLUMNS, type Identity } from '../../store.ts'

/** A pair of an access token and a refresh token, with their digests. */
export type TokenRow = Selectable<OauthTokensTable>

export function insertToken(
  db: Database,
  row: Omit<TokenRow, 'id' | 'revoked_at' | 'last_used_at'>,
): TokenRow {
  return db.get(q.insertInto('oauth_tokens').values(row).returningAll())!
}

/** Returns the pair with this digest of the access token. */
export function byDigest(db: Database, digest: string): TokenRow | undefined {
  return db.get(q.selectFrom('oauth_tokens').selectAll().where('digest', '=', digest))
}

/** Returns the pair with this digest of the refresh token. */
export function byRefreshDigest(db: Database, digest: string): TokenRow | undefined {
  return db.get(q.selectFrom('oauth_tokens').selectAll().where('refresh_digest', '=', digest))
}

/** Revokes a pair. */
export function revoke(db: Database, id: number, now: string): void {
  const query = q.updateTable('oauth_tokens').set({ revoked_at: now })
  db.run(query.where('id', '=', id).where('revoked_at', 'is', null))
}

/** Revokes all tokens that were issued for a code, including refreshed ones. */
export function revokeTokensOfGrant(db: Database, grantId: number, now: string): number {
  const query = q.updateTable('oauth_tokens').set({ revoked_at: now })
  return db.run(query.where('grant_id', '=', grantId).where('revoked_at', 'is', null)).changes
}

/** Returns the sets of scopes that a user granted to an application. */
export function activeScopes(db: Database, applicationId: number, userId: number): string[][] {
  const query = q
    .selectFrom('oauth_tokens')
    .select('scopes')
    .distinct()
    .where('application_id', '=', applicationId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
  return db.all(query).map((row) => row.scopes)
}

/** The access that a user granted to an application, or without one by the password grant. */
export interface Authorization {
  readonly application_id: number | null
  /** The id of the token if there is no application. */
  readonly token_id: number | null
  readonly scopes: string
  readonly created_at: string
  readonly last_used_at: string | null
}

/** The maximum number of entries in the list. */
const MAX_AUTHORIZATIONS = 1000

/** Returns the authorizations of a user: one per application, and one per token without an application. */
export function authorizationsOf(db: Database, userId: number): Authorization[] {
  const sql = `SELECT application_id, iif(application_id IS NULL, id, NULL) AS token_id,
      (SELECT json_group_array(DISTINCT value) FROM oauth_tokens s, json_each(s.scopes)
        WHERE s.user_id = t.user_id AND s.revoked_at IS NULL
          AND (s.application_id = t.application_id OR (t.application_id IS NULL AND s.id = t.id))) AS scopes,
      min(created_at) AS created_at, max(last_used_at) AS last_used_at
    FROM oauth_tokens t WHERE user_id = ? AND revoked_at IS NULL
    GROUP BY application_id, iif(application_id IS NULL, id, NULL) ORDER BY min(id) LIMIT ${MAX_AUTHORIZATIONS}`
  return db.many<Authorization>(sql, userId)
}

/** Revokes the tokens and codes that a user granted to an application. Returns false if there were none. */
export function deauthorize(db: Database, userId: number, applicationId: number, now: string): boolean {
  const tokens = db.exec(
    'UPDATE oauth_tokens SET revoked_at = ? WHERE user_id = ? AND application_id = ? AND revoked_at IS NULL',
    now,
    userId,
    applicationId,
  )
  const codes = db.exec(
    'UPDATE oauth_grants SET used_at = ? WHERE user_id = ? AND application_id = ? AND used_at IS NULL',
    now,
    userId,
    applicationId,
  )
  return tokens.changes + codes.changes > 0
}

/** Revokes a user's token without an application. Returns false if it does not exist. */
export function revokeWithoutApplication(db: Database, userId: number, id: number, now: string): boolean {
  const sql = `UPDATE oauth_tokens SET revoked_at = ?
    WHERE id = ? AND user_id = ? AND application_id IS NULL AND revoked_at IS NULL`
  return db.exec(sql, now, id, userId).changes > 0
}

/** Deletes pairs that were revoked or expired before a time. */
export function removeEndedBefore(db: Database, before: string): void {
  const sql = 'DELETE FROM oauth_tokens WHERE revoked_at < ? OR (refresh_digest IS NULL AND expires_at < ?)'
  db.exec(sql, before, before)
}

/** An OAuth access token with its user; a token of client credentials has no user. */
type OAuthIdentity = Omit<Identity, 'user_id'> & {
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

/** An authorization code, with its digest. */
export type GrantRow = Selectable<OauthGrantsTable>

export function insertGrant(db: Database, row: Omit<GrantRow, 'id' | 'used_at'>): GrantRow {
  return db.get(q.insertInto('oauth_grants').values(row).returningAll())!
}

/** Returns the code with a digest. */
export function grantByDigest(db: Database, digest: string): GrantRow | undefined {
  return db.get(q.selectFrom('oauth_grants').selectAll().where('digest', '=', digest))
}

/** Marks a code as used. Returns false if another request has already used it. */
export function useGrant(db: Database, id: number, now: string): boolean {
  const query = q.updateTable('oauth_grants').set({ used_at: now })
  return db.run(query.where('id', '=', id).where('used_at', 'is', null)).changes > 0
}

/** Deletes codes that expired before a time. */
export function removeGrantsBefore(db: Database, before: string): void {
  db.run(q.deleteFrom('oauth_grants').where('expires_at', '<', before))
}
