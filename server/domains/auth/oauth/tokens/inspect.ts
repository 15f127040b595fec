import type { Ctx } from '../../../../ctx.ts'
import { tokenDigest } from '../../../../lib/security/crypto.ts'
import type { ApplicationRow } from '../applications/store.ts'
import { byIds } from '../applications/store.ts'
import { oauthError, refusal } from '../refusals.ts'
import { provenClient, type ClientCredentials } from './clients.ts'
import * as store from './store.ts'
import type { TokenRow } from './store.ts'

/** A pair with the application it belongs to. */
export interface Found {
  readonly row: TokenRow
  readonly application: ApplicationRow | undefined
  /** The text was the refresh token of the pair. */
  readonly isRefresh: boolean
}

/** The pair that a text is the access or refresh token of. */
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

/** True while an access token can be used, or a refresh token exchanged. */
export function isLive(ctx: Ctx, { row, isRefresh }: Found): boolean {
  return row.revoked_at === null && (isRefresh || row.expires_at > ctx.now)
}

/**
 * Revokes a pair; an unknown token is as good as revoked (RFC 7009). Throws 403 when it belongs to a client that has a
 * secret, and that is not who asks.
 */
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
 * The pair as its own client may look at it (RFC 7662); undefined for one that does not hold or is another's. Throws 401
 * for a client without a proof.
 */
export function introspect(ctx: Ctx, text: string, shown: ClientCredentials): Found | undefined {
  const client = provenClient(ctx, shown)
  if (!client || !client.confidential) throw refusal(oauthError('invalid_client'))
  const found = text ? findToken(ctx, text) : undefined
  if (!found || !isLive(ctx, found)) return undefined
  return found.application === undefined || found.application.id === client.id ? found : undefined
}
