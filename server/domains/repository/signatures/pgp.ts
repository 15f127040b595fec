import type { Ctx } from '../../../ctx.ts'
import type { SignedObject } from '../../../git/signed.ts'
import { pgpSignatureHolds, pgpSigners, type PgpUserId } from '../../../lib/pgp.ts'
import { gpgKeysById, type GpgKeyRow } from '../../users/index.ts'
import { userByCommitEmail } from '../../users/index.ts'
import { remembered } from './memory.ts'
import type { PgpSignature, Verification } from './signature.ts'

/** Judges a signature by PGP: who has the key, whether it holds, and whether the address is theirs (spec core 4.6). */
export async function judgePgp(ctx: Ctx, object: SignedObject): Promise<PgpSignature> {
  const signers = await pgpSigners(object.signature)
  const [keyId = ''] = signers
  if (signers.length > 1) return { type: 'PGP', status: 'multiple_signatures', key: undefined, keyId }
  // Ids are short; the key that the signature holds for is the right one of several.
  const candidates = gpgKeysById(ctx.db, keyId)
  for (const key of candidates) {
    const status = await statusOf(ctx, object, key)
    if (status !== 'unverified' || candidates.length === 1) return { type: 'PGP', status, key, keyId }
  }
  const [key] = candidates
  return { type: 'PGP', status: key ? 'unverified' : 'unknown_key', key, keyId }
}

async function statusOf(ctx: Ctx, object: SignedObject, key: GpgKeyRow): Promise<Verification> {
  const isTheirs = (email: string) => userByCommitEmail(ctx, email)?.id === key.user_id
  const emails = (JSON.parse(key.uids) as PgpUserId[]).map((uid) => uid.email.toLowerCase()).filter(isTheirs)
  if (key.revoked === 1 || emails.length === 0) return 'unverified_key'
  const holds = await remembered(`${object.id} ${key.fingerprint}`, () =>
    pgpSignatureHolds(key.key, object.signature, object.payload),
  )
  if (!holds) return 'unverified'
  if (emails.includes(object.email.toLowerCase())) return 'verified'
  return isTheirs(object.email) ? 'same_user_different_email' : 'other_user'
}
