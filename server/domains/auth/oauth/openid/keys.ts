import type { JWK } from 'jose'

import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import * as store from './store.ts'

/** A key as it signs. */
export interface SigningKey {
  readonly kid: string
  readonly jwk: JWK
}

/** The key that signs id tokens; made when first needed and kept from then on. */
export async function signingKey(ctx: Ctx): Promise<SigningKey> {
  const [known] = store.keys(ctx.db)
  if (known) return { kid: known.kid, jwk: JSON.parse(known.jwk) as JWK }
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import('jose')
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint(jwk)
  return tx(ctx.db, () => {
    // Another request may have made one meanwhile.
    const row =
      store.keys(ctx.db)[0] ?? store.insertKey(ctx.db, { kid, jwk: JSON.stringify(jwk), created_at: ctx.now })
    return { kid: row.kid, jwk: JSON.parse(row.jwk) as JWK }
  })
}

/** The public halves of all keys, as clients verify with. */
export async function publicKeys(ctx: Ctx): Promise<JWK[]> {
  await signingKey(ctx)
  return store.keys(ctx.db).map(({ kid, jwk }) => {
    const { kty, n, e } = JSON.parse(jwk) as JWK
    return { kty: kty!, kid, e: e!, n: n!, use: 'sig', alg: 'RS256' }
  })
}
