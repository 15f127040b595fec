import type { Ctx } from '../../../../ctx.ts'
import { signingKey } from './keys.ts'

/** Who a signed token is about, for whom it is meant, and for how long. */
export interface Signing {
  readonly subject: string
  readonly audience: string | string[]
  /** Seconds from now on. */
  readonly seconds: number
}

/** A token of this instance, which everybody can verify by its published keys (`/oauth/discovery/keys`). */
export async function signToken(
  ctx: Ctx,
  claims: Readonly<Record<string, unknown>>,
  { subject, audience, seconds }: Signing,
): Promise<string> {
  const { kid, jwk } = await signingKey(ctx)
  // Few instances ever sign a token; all of them start and hold memory.
  const { importJWK, SignJWT } = await import('jose')
  const now = Math.floor(Date.parse(ctx.now) / 1000)
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid })
    .setIssuer(ctx.config.url)
    .setSubject(subject)
    .setAudience(audience)
    .setIssuedAt(now)
    .setExpirationTime(now + seconds)
    .sign(await importJWK(jwk, 'RS256'))
}
