import type { Ctx } from '../../../ctx.ts'
import { userById } from '../../users/index.ts'
import { byIds } from '../applications/store.ts'
import type { Issued } from '../tokens/model.ts'
import { sharedClaims } from './claims.ts'
import { signingKey } from './keys.ts'

/** Seconds that an id token holds: it is looked at once, at signing in. */
const ID_TOKEN_SECONDS = 600

/** The signed id token that goes with a pair of tokens; undefined where `openid` was not asked for, or by no client. */
export async function idTokenFor(ctx: Ctx, { row, grant }: Issued): Promise<string | undefined> {
  const scopes = new Set(JSON.parse(row.scopes) as string[])
  const { user_id, application_id } = row
  if (!scopes.has('openid') || user_id === null || application_id === null) return undefined
  const user = userById(ctx.db, user_id)
  const application = byIds(ctx.db, [application_id]).get(application_id)
  if (!user || !application) return undefined
  const { kid, jwk } = await signingKey(ctx)
  // Few instances ever sign an id token; all of them start and hold memory.
  const { importJWK, SignJWT } = await import('jose')
  const now = Math.floor(Date.parse(ctx.now) / 1000)
  const signedIn = Math.floor(Date.parse(user.current_sign_in_at ?? row.created_at) / 1000)
  const nonce = grant?.nonce ? { nonce: grant.nonce } : {}
  return new SignJWT({ ...sharedClaims(user, scopes), ...nonce, auth_time: signedIn })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid })
    .setIssuer(ctx.config.url)
    .setSubject(String(user.id))
    .setAudience(application.uid)
    .setIssuedAt(now)
    .setExpirationTime(now + ID_TOKEN_SECONDS)
    .sign(await importJWK(jwk, 'RS256'))
}
