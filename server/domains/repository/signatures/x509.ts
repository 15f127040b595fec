import type { Ctx } from '../../../ctx.ts'
import type { SignedObject } from '../../../git/signed.ts'
import { userByCommitEmail } from '../../users/index.ts'
import { remembered } from './memory.ts'
import type { Certificate, X509Signature } from './signature.ts'

/** What follows from the object alone. */
interface Finding {
  readonly certificate: Certificate | undefined
  /** Addresses that the certificate vouches for; empty unless the signature holds and the authority is trusted. */
  readonly emails: readonly string[]
}

/** Judges a signature by a certificate: one that this machine trusts, for the address of a user who committed. */
export async function judgeX509(ctx: Ctx, object: SignedObject): Promise<X509Signature> {
  const { certificate, emails } = await remembered(`${object.id} x509`, () => examine(object))
  const isTheirs = emails.includes(object.email.toLowerCase()) && userByCommitEmail(ctx, object.email)
  return { type: 'X509', status: isTheirs ? 'verified' : 'unverified', certificate }
}

async function examine(object: SignedObject): Promise<Finding> {
  // Few ever need what reads certificates.
  const [{ cmsHolds, parseCms }, { emailsOf, isTrusted, shownCertificate, signerOf }] = await Promise.all([
    import('./cms.ts'),
    import('./certificate.ts'),
  ])
  const given = parseCms(object.signature)
  const signer = given && signerOf(given)
  if (!given || !signer) return { certificate: undefined, emails: [] }
  const holds =
    cmsHolds(given, signer, object.payload) &&
    isTrusted(signer, given.certificates, new Date(object.time * 1000))
  return { certificate: shownCertificate(signer), emails: holds ? emailsOf(signer) : [] }
}
