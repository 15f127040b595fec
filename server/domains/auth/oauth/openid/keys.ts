import type { JWK } from 'jose'

import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import * as store from './store.ts'

/** A signing key. */
export interface SigningKey {
  readonly kid: string
  readonly jwk: JWK
}

/** Returns the key that signs ID tokens. The first call creates it. */
export async function signingKey(ctx: Ctx): Promise<SigningKey> {
  const [key] = store.keys(ctx.db)
  if (key) return { kid: key.kid, jwk: key.jwk }
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import('jose')
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint(jwk)
  return tx(ctx.db, () => {
    // Another request may have created a key in the meantime.
    const row = store.keys(ctx.db)[0] ?? store.insertKey(ctx.db, { kid, jwk, created_at: ctx.now })
    return { kid: row.kid, jwk: row.jwk }
  })
}

/** Returns the public keys, with which clients verify tokens. */
export async function publicKeys(ctx: Ctx) {
  await signingKey(ctx)
  return store.keys(ctx.db).map(({ kid, jwk }) => {
    const { kty, n, e } = jwk as Record<'kty' | 'n' | 'e', string>
    return { kty, kid, e, n, use: 'sig', alg: 'RS256' }
  })
}

/** Subject, audience and lifetime of a signed token. */
export interface SigningOptions {
  readonly subject: string
  readonly audience: string | string[]
  /** Lifetime in seconds. */
  readonly seconds: number
}

/** Signs a token, which clients verify with the published keys (`/oauth/discovery/keys`). */
export async function signToken(
  ctx: Ctx,
  claims: Readonly<Record<string, unknown>>,
  { subject, audience, seconds }: SigningOptions,
): Promise<string> {
  const { kid, jwk } = await signingKey(ctx)
  // The library is loaded on first use to save start time and memory, because few instances sign tokens.
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
