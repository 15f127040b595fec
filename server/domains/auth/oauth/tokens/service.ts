import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { tokenDigest } from '../../../../lib/security/crypto.ts'
import { ApplicationDeauthorized } from '../../events.ts'
import { byUid, type ApplicationRow, byIds } from '../applications/store.ts'
import { oauthError, refusal } from '../refusals.ts'
import * as store from './store.ts'
import type { TokenRow } from './store.ts'

/** Revokes all authorizations of the actor for an application. Returns false if there were none. */
export function deauthorizeApplication(ctx: Ctx, application_id: number): boolean {
  const user_id = ctx.actor.id!
  return tx(ctx.db, () => {
    if (!store.deauthorize(ctx.db, user_id, application_id, ctx.now)) return false
    publish(ctx, ApplicationDeauthorized, { application_id, user_id })
    return true
  })
}

/** Revokes a token of the actor's password grant. Returns false if it does not exist. */
export function revokePasswordGrantToken(ctx: Ctx, id: number): boolean {
  const user_id = ctx.actor.id!
  return tx(ctx.db, () => {
    if (!store.revokeWithoutApplication(ctx.db, user_id, id, ctx.now)) return false
    publish(ctx, ApplicationDeauthorized, { application_id: null, user_id })
    return true
  })
}

/** Credentials of a client. */
export interface ClientCredentials {
  readonly client_id?: string | undefined
  readonly client_secret?: string | undefined
}

/** Parses `Authorization: Basic`; undefined for any other header. Id and secret are form-encoded (RFC 6749, 2.3.1). */
export function basicCredentials(header: string): ClientCredentials | undefined {
  const value = /^Basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(header)?.[1]
  if (value === undefined) return undefined
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) return undefined
  return {
    client_id: decodeFormText(text.slice(0, colon)),
    client_secret: decodeFormText(text.slice(colon + 1)),
  }
}

function decodeFormText(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/**
 * Authenticates a client: a confidential application by its secret, others by their id alone. Undefined if that
 * fails.
 */
export function authenticateClient(ctx: Ctx, credentials: ClientCredentials): ApplicationRow | undefined {
  const application = credentials.client_id ? byUid(ctx.db, credentials.client_id) : undefined
  if (!application) return undefined
  if (credentials.client_secret)
    return application.secret_digest === tokenDigest(credentials.client_secret) ? application : undefined
  return !application.confidential ? application : undefined
}

/** A pair of tokens with its application. */
export interface TokenWithApplication {
  readonly row: TokenRow
  readonly application: ApplicationRow | undefined
  /** Whether the token in the request is the refresh token of the pair. */
  readonly isRefresh: boolean
}

/** Returns the pair with this access or refresh token. */
export function findToken(ctx: Ctx, text: string): TokenWithApplication | undefined {
  const digest = tokenDigest(text)
  const access = store.byDigest(ctx.db, digest)
  const row = access ?? store.byRefreshDigest(ctx.db, digest)
  if (!row) return undefined
  const { application_id } = row
  const application =
    application_id === null ? undefined : byIds(ctx.db, [application_id]).get(application_id)
  return { row, application, isRefresh: access === undefined }
}

/** Returns true if the access or refresh token is valid. */
export function isTokenValid(ctx: Ctx, { row, isRefresh }: TokenWithApplication): boolean {
  return row.revoked_at === null && (isRefresh || row.expires_at > ctx.now)
}

/**
 * Revokes a pair of tokens. Does nothing for an unknown token (RFC 7009). Throws 403 if it belongs to another
 * confidential client.
 */
export function revokeToken(ctx: Ctx, text: string, credentials: ClientCredentials): void {
  const token = findToken(ctx, text)
  if (!token) return
  const { application, row } = token
  if (application?.confidential === true && authenticateClient(ctx, credentials)?.id !== application.id) {
    const error = oauthError('unauthorized_client', 'You are not authorized to revoke this token')
    throw refusal(error, 'forbidden')
  }
  store.revoke(ctx.db, row.id, ctx.now)
}

/**
 * Returns the pair of tokens for introspection by its own client (RFC 7662); undefined for an invalid token and for
 * one of another client. Throws 401 if the client is not authenticated.
 */
export function introspect(
  ctx: Ctx,
  text: string,
  credentials: ClientCredentials,
): TokenWithApplication | undefined {
  const client = authenticateClient(ctx, credentials)
  if (!client || !client.confidential) throw refusal(oauthError('invalid_client'))
  const token = text ? findToken(ctx, text) : undefined
  if (!token || !isTokenValid(ctx, token)) return undefined
  return token.application === undefined || token.application.id === client.id ? token : undefined
}
