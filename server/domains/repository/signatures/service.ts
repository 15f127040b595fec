import { LRUCache } from 'lru-cache'

import type { Ctx } from '../../../ctx.ts'
import { findTag } from '../../../git/write/refs.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { readSigned, type SignedObject } from '../../../git/read/signed.ts'
import type { Repo } from '../../../git/types.ts'
import { notFound } from '../../../lib/fail.ts'
import { isPgpSignatureValid, pgpSigners } from '../../../lib/pgp.ts'
import type { Project } from '../../projects/index.ts'
import {
  gpgKeysById,
  userByCommitEmail,
  type GpgKeyRow,
  sshKeyByFingerprint,
  type SshKeyView,
} from '../../users/index.ts'
import { inRepository } from '../../projects/index.ts'
import type {
  Certificate,
  PgpSignature,
  Signature,
  Verification,
  X509Signature,
  SshSignature,
} from './signature.ts'
import type { Database } from '../../../db/database.ts'
import { fingerprintsOf } from '../../../lib/ssh/public-key.ts'
import {
  isFileSignatureValid,
  parseFileSignature,
  type SshFileSignature,
} from '../../../lib/ssh/signature.ts'

/** Returns the signature of a commit. Throws `404 Commit Not Found`, or `404 Signature Not Found` if it has none. */
export async function commitSignature(ctx: Ctx, project: Project, reference: string): Promise<Signature> {
  return (await findCommitSignature(ctx, project, reference)) ?? throwMissing()
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
    // A lightweight tag points to a commit. The signature of the commit is not the signature of the tag.
    if (tag.target === tag.commit) return throwMissing()
    return (await verifySignature(ctx, repo, tag.target)) ?? throwMissing()
  })
}

function throwMissing(): never {
  throw notFound('Signature')
}

async function verifySignature(ctx: Ctx, repo: Repo, id: string): Promise<Signature | null> {
  const object = await readSigned(repo, id)
  const [, verify] = (object && VERIFIERS.find(([head]) => object.signature.startsWith(head))) ?? []
  return object && verify ? verify(ctx, object) : null
}

type Verifier = (ctx: Ctx, object: SignedObject) => Promise<Signature>

/** The verifier for each first line of a signature. */
const VERIFIERS: readonly (readonly [head: string, Verifier])[] = [
  ['-----BEGIN PGP SIGNATURE-----', verifyPgp],
  ['-----BEGIN SSH SIGNATURE-----', verifySsh],
  ['-----BEGIN SIGNED MESSAGE-----', verifyX509],
]

/**
 * Verifies a PGP signature: who owns the key, whether the signature is valid, and whether the email address is the
 * owner's (spec core 4.6).
 */
async function verifyPgp(ctx: Ctx, object: SignedObject): Promise<PgpSignature> {
  const signers = await pgpSigners(object.signature)
  const [keyId = ''] = signers
  if (signers.length > 1) return { type: 'PGP', status: 'multiple_signatures', key: undefined, keyId }
  // Several keys can have the same short id; the right key is the one that verifies.
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
  const isValid = await cachedResult(ctx.db, `${object.id} ${key.fingerprint}`, () =>
    isPgpSignatureValid(key.key, object.signature, object.payload),
  )
  if (!isValid) return 'unverified'
  if (emails.includes(object.email.toLowerCase())) return 'verified'
  return isOwnersAddress(object.email) ? 'same_user_different_email' : 'other_user'
}

/** The part of the result that depends on the signed object alone. */
interface CertificateResult {
  readonly certificate: Certificate | undefined
  /** Email addresses of the certificate; empty unless the signature is valid and the authority is trusted. */
  readonly emails: readonly string[]
}

/** Verifies a signature by a certificate: this machine must trust it, and it must name the committer's address. */
async function verifyX509(ctx: Ctx, object: SignedObject): Promise<X509Signature> {
  const { certificate, emails } = await cachedResult(ctx.db, `${object.id} x509`, () =>
    readCertificate(object),
  )
  const isOwnersAddress = emails.includes(object.email.toLowerCase()) && userByCommitEmail(ctx, object.email)
  return { type: 'X509', status: isOwnersAddress ? 'verified' : 'unverified', certificate }
}

async function readCertificate(object: SignedObject): Promise<CertificateResult> {
  // Loaded only when needed, since few repositories have signatures by certificates.
  const { certificateFields, emailsOf, isCmsSignatureValid, isTrusted, parseCms, signerOf } =
    await import('./certificate.ts')
  const cms = parseCms(object.signature)
  const signer = cms && signerOf(cms)
  if (!cms || !signer) return { certificate: undefined, emails: [] }
  const isValid =
    isCmsSignatureValid(cms, signer, object.payload) &&
    isTrusted(signer, cms.certificates, new Date(object.time * 1000))
  return { certificate: certificateFields(signer), emails: isValid ? emailsOf(signer) : [] }
}

const MAX_RESULTS = 5000

/**
 * Returns the cached result of a verification, or computes it. `key` names the signed object and the signing key,
 * which never change. So the result must not depend on anything else, such as the owner of the key.
 */
async function cachedResult<T>(db: Database, key: string, compute: () => T | Promise<T>): Promise<T> {
  const cache = db.instance(
    'repository.signatures',
    () => new LRUCache<string, { readonly value: unknown }>({ max: MAX_RESULTS }),
    { dependsOnRows: true },
  )
  const hit = cache.get(key)
  if (hit) return hit.value as T
  const value = await compute()
  cache.set(key, { value })
  return value
}

/** The namespace of git's SSH signatures. */
const NAMESPACE = 'git'

/** Verifies an SSH signature: the key must belong to the committer, and be allowed to sign. */
async function verifySsh(ctx: Ctx, object: SignedObject): Promise<SshSignature> {
  const fileSignature = parseFileSignature(object.signature)
  const key = fileSignature && signingKey(ctx, fileSignature)
  return {
    type: 'SSH',
    status: fileSignature ? await sshStatusOf(ctx, object, fileSignature, key) : 'unverified',
    key,
  }
}

function signingKey(ctx: Ctx, { key }: SshFileSignature): SshKeyView | undefined {
  const sshKey = sshKeyByFingerprint(ctx.db, 'fingerprint_sha256', fingerprintsOf(key.blob).sha256)
  return sshKey && sshKey.user_id !== null && sshKey.usage_type !== 'auth' ? sshKey : undefined
}

async function sshStatusOf(
  ctx: Ctx,
  object: SignedObject,
  signature: SshFileSignature,
  key: SshKeyView | undefined,
): Promise<Verification> {
  const isValid = await cachedResult(ctx.db, `${object.id} ssh`, () =>
    isFileSignatureValid(signature, object.payload, NAMESPACE),
  )
  if (!isValid) return 'unverified'
  if (!key) return 'unknown_key'
  return userByCommitEmail(ctx, object.email)?.id === key.user_id ? 'verified' : 'other_user'
}
