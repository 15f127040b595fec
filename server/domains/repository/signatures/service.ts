import type { Ctx } from '../../../ctx.ts'
import { findTag } from '../../../git/write/refs.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { readSigned, type SignedObject } from '../../../git/read/signed.ts'
import type { Repo } from '../../../git/types.ts'
import { notFound } from '../../../lib/fail.ts'
import { isPgpSignatureValid, pgpSigners } from '../../../lib/pgp.ts'
import type { Project } from '../../projects/index.ts'
import { gpgKeysById, userByCommitEmail, type GpgKeyRow } from '../../users/index.ts'
import { inRepository } from '../../projects/index.ts'
import { remembered } from './memory.ts'
import type { Certificate, PgpSignature, Signature, Verification, X509Signature } from './signature.ts'
import { judgeSsh } from './ssh.ts'

/** Returns the signature of a commit. Throws `404 Commit Not Found`, or `404 Signature Not Found` if it has none. */
export async function commitSignature(ctx: Ctx, project: Project, reference: string): Promise<Signature> {
  return (await findCommitSignature(ctx, project, reference)) ?? missing()
}

/** Returns the signature of a commit; null if it has none. Throws `404 Commit Not Found`. */
export function findCommitSignature(
  ctx: Ctx,
  project: Project,
  reference: string,
): Promise<Signature | null> {
  return inRepository(ctx, project, async (repo) => {
    const id = await resolveCommit(repo, reference)
    if (id === null) throw notFound('Commit')
    return verifySignature(ctx, repo, id)
  })
}

/**
 * Returns the signature of an annotated tag. Throws `404 Tag Not Found`, or `404 Signature Not Found` if it has
 * none.
 */
export function tagSignature(ctx: Ctx, project: Project, name: string): Promise<Signature> {
  return inRepository(ctx, project, async (repo) => {
    const tag = await findTag(repo, name)
    if (tag === null) throw notFound('Tag')
    // A lightweight tag points to a commit; the commit's signature is not the tag's.
    if (tag.target === tag.commit) return missing()
    return (await verifySignature(ctx, repo, tag.target)) ?? missing()
  })
}

function missing(): never {
  throw notFound('Signature')
}

async function verifySignature(ctx: Ctx, repo: Repo, id: string): Promise<Signature | null> {
  const object = await readSigned(repo, id)
  const judged = object && JUDGES.find(([head]) => object.signature.startsWith(head))
  return judged ? judged[1](ctx, object) : null
}

const JUDGES: readonly (readonly [head: string, (ctx: Ctx, object: SignedObject) => Promise<Signature>])[] = [
  ['-----BEGIN PGP SIGNATURE-----', judgePgp],
  ['-----BEGIN SSH SIGNATURE-----', judgeSsh],
  ['-----BEGIN SIGNED MESSAGE-----', judgeX509],
]

/**
 * Verifies a PGP signature: who owns the key, whether the signature is valid, and whether the email address is the
 * owner's (spec core 4.6).
 */
async function judgePgp(ctx: Ctx, object: SignedObject): Promise<PgpSignature> {
  const signers = await pgpSigners(object.signature)
  const [keyId = ''] = signers
  if (signers.length > 1) return { type: 'PGP', status: 'multiple_signatures', key: undefined, keyId }
  // Key ids are short and can collide; the right key is the one that verifies.
  const candidates = gpgKeysById(ctx.db, keyId)
  for (const key of candidates) {
    const status = await statusOf(ctx, object, key)
    if (status !== 'unverified' || candidates.length === 1) return { type: 'PGP', status, key, keyId }
  }
  const [key] = candidates
  return { type: 'PGP', status: key ? 'unverified' : 'unknown_key', key, keyId }
}

async function statusOf(ctx: Ctx, object: SignedObject, key: GpgKeyRow): Promise<Verification> {
  const isOwnersAddress = (email: string) => userByCommitEmail(ctx, email)?.id === key.user_id
  const emails = key.uids.map((uid) => uid.email.toLowerCase()).filter(isOwnersAddress)
  if (key.revoked || emails.length === 0) return 'unverified_key'
  const isValid = await remembered(ctx.db, `${object.id} ${key.fingerprint}`, () =>
    isPgpSignatureValid(key.key, object.signature, object.payload),
  )
  if (!isValid) return 'unverified'
  if (emails.includes(object.email.toLowerCase())) return 'verified'
  return isOwnersAddress(object.email) ? 'same_user_different_email' : 'other_user'
}

/** The result that depends on the signed object alone. */
interface Finding {
  readonly certificate: Certificate | undefined
  /** Email addresses of the certificate; empty unless the signature is valid and the authority is trusted. */
  readonly emails: readonly string[]
}

/** Verifies a signature by a certificate: this machine trusts it, and it names an address of the committer. */
async function judgeX509(ctx: Ctx, object: SignedObject): Promise<X509Signature> {
  const { certificate, emails } = await remembered(ctx.db, `${object.id} x509`, () => examine(object))
  const isOwnersAddress = emails.includes(object.email.toLowerCase()) && userByCommitEmail(ctx, object.email)
  return { type: 'X509', status: isOwnersAddress ? 'verified' : 'unverified', certificate }
}

async function examine(object: SignedObject): Promise<Finding> {
  // Loaded on demand, since few repositories need the certificate code.
  const [{ isCmsSignatureValid: cmsHolds, parseCms }, { emailsOf, isTrusted, shownCertificate, signerOf }] =
    await Promise.all([import('./certificate.ts'), import('./certificate.ts')])
  const cms = parseCms(object.signature)
  const signer = cms && signerOf(cms)
  if (!cms || !signer) return { certificate: undefined, emails: [] }
  const isValid =
    cmsHolds(cms, signer, object.payload) && isTrusted(signer, cms.certificates, new Date(object.time * 1000))
  return { certificate: shownCertificate(signer), emails: isValid ? emailsOf(signer) : [] }
}
