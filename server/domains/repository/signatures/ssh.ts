import type { Ctx } from '../../../ctx.ts'
import type { SignedObject } from '../../../git/read/signed.ts'
import { fingerprintsOf } from '../../../lib/ssh/public-key.ts'
import {
  isFileSignatureValid,
  parseFileSignature,
  type SshFileSignature,
} from '../../../lib/ssh/signature.ts'
import { sshKeyByFingerprint, type SshKeyView } from '../../users/index.ts'
import { userByCommitEmail } from '../../users/index.ts'
import { cachedResult } from './memory.ts'
import type { SshSignature, Verification } from './signature.ts'

/** The namespace of git's SSH signatures. */
const NAMESPACE = 'git'

/** Verifies an SSH signature: the key must belong to the committer, and be allowed to sign. */
export async function verifySsh(ctx: Ctx, object: SignedObject): Promise<SshSignature> {
  const fileSignature = parseFileSignature(object.signature)
  const key = fileSignature && signingKey(ctx, fileSignature)
  return {
    type: 'SSH',
    status: fileSignature ? await statusOf(ctx, object, fileSignature, key) : 'unverified',
    key,
  }
}

function signingKey(ctx: Ctx, { key }: SshFileSignature): SshKeyView | undefined {
  const sshKey = sshKeyByFingerprint(ctx.db, 'fingerprint_sha256', fingerprintsOf(key.blob).sha256)
  return sshKey && sshKey.user_id !== null && sshKey.usage_type !== 'auth' ? sshKey : undefined
}

async function statusOf(
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
