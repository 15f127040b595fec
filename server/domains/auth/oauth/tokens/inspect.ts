import type { Ctx } from '../../../../ctx.ts'
import { tokenDigest } from '../../../../lib/security/crypto.ts'
import type { ApplicationRow } from '../applications/store.ts'
import { byIds } from '../applications/store.ts'
import { oauthError, refusal } from '../refusals.ts'
import { provenClient, type ClientCredentials } from './clients.ts'
import * as store from './store.ts'
import type { TokenRow } from './store.ts'

/** A pair of tokens with its application. */
export interface Found {
  readonly row: TokenRow
  readonly application: ApplicationRow | undefined
  /** True if the given token is the refresh token of the pair. */
  readonly isRefresh: boolean
}

/** The pair with this access or refresh token. */
export function findToken(ctx: Ctx, text: string): Found | undefined {
  const digest = tokenDigest(text)
  const access = store.byDigest(ctx.db, digest)
  const row = access ?? store.byRefreshDigest(ctx.db, digest)
  if (!row) return undefined
  const { application_id } = row
  const application =
    application_id === null ? undefined : byIds(ctx.db, [application_id]).get(application_id)
  return { row, application, isRefresh: access === undefined }
}

/** True while an access token, or a refresh token, is valid. */
export function isLive(ctx: Ctx, { row, isRefresh }: Found): boolean {
  return row.revoked_at === null && (isRefresh || row.expires_at > ctx.now)
}

/** Revokes a pair. An unknown token counts as revoked (RFC 7009). Throws 403 if it belongs to another confidential client. */
export function revokeToken(ctx: Ctx, text: string, shown: ClientCredentials): void {
  const found = findToken(ctx, text)
  if (!found) return
  const { application, row } = found
  if (application?.confidential === true && provenClient(ctx, shown)?.id !== application.id) {
    const error = oauthError('unauthorized_client', 'You are not authorized to revoke this token')
    throw refusal(error, 'forbidden')
  }
  store.revoke(ctx.db, row.id, ctx.now)
}

/**
 * Returns the pair for introspection by its own client (RFC 7662). Undefined for an invalid token or one of another client.
 * Throws 401 if the client is not authenticated.
 */
export function introspect(ctx: Ctx, text: string, shown: ClientCredentials): Found | undefined {
  const client = provenClient(ctx, shown)
  if (!client || !client.confidential) throw refusal(oauthError('invalid_client'))
  const found = text ? findToken(ctx, text) : undefined
  if (!found || !isLive(ctx, found)) return undefined
  return found.application === undefined || found.application.id === client.id ? found : undefined
}
