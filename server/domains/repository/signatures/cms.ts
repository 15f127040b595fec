import { createHash, verify, type X509Certificate } from 'node:crypto'

import forge from 'node-forge'

import { bytesOf, derOf, oidOf, partsOf, read, tagged, type DerNode } from '../../../lib/security/der.ts'

/** The signature of one signer, taken out of a CMS message (RFC 5652). */
export interface CmsSignature {
  /** All certificates of the message, as DER. */
  readonly certificates: readonly Buffer[]
  /** Names the certificate of the signer: its issuer as DER, and its serial number as hex. */
  readonly signer: { readonly issuer: Buffer; readonly serial: string }
  readonly hash: string
  /** What is really signed, as DER; undefined where it is the content itself. */
  readonly attributes: { readonly der: Buffer; readonly digest: Buffer } | undefined
  readonly signature: Buffer
}

const SIGNED_DATA = '1.2.840.113549.1.7.2'
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4'
const HASHES: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}
const { Type, Class } = forge.asn1

const ARMOR =
  /^-----BEGIN SIGNED MESSAGE-----\r?\n([A-Za-z0-9+/=\r\n]+?)\r?\n-----END SIGNED MESSAGE-----\s*$/

/** Reads the signature that git keeps of S/MIME; undefined for anything else, or for several signers. */
export function parseCms(armored: string): CmsSignature | undefined {
  const [, encoded] = ARMOR.exec(armored.trim()) ?? []
  if (encoded === undefined) return undefined
  try {
    return signatureOf(read(Buffer.from(encoded.replace(/[\r\n]/g, ''), 'base64')))
  } catch {
    return undefined
  }
}

function signatureOf(message: DerNode): CmsSignature | undefined {
  const [type, content] = partsOf(message)
  if (oidOf(type) !== SIGNED_DATA) return undefined
  const data = partsOf(partsOf(content)[0])
  const signers = partsOf(data.at(-1))
  if (signers.length !== 1) return undefined
  const certificates = tagged(data, 0)
  const [, sid, digest, ...rest] = partsOf(signers[0])
  const [issuer, serial] = partsOf(sid)
  const hash = HASHES[oidOf(partsOf(digest)[0])]
  const signed = tagged(rest.slice(0, 1), 0)
  const signature = rest[signed ? 2 : 1]
  if (hash === undefined) return undefined
  return {
    certificates: certificates ? partsOf(certificates).map(derOf) : [],
    signer: { issuer: derOf(issuer!), serial: bytesOf(serial).toString('hex') },
    hash,
    attributes: signed && attributesOf(signed),
    signature: bytesOf(signature),
  }
}

function attributesOf(signed: DerNode): { der: Buffer; digest: Buffer } {
  const digests = partsOf(signed).filter((attribute) => oidOf(partsOf(attribute)[0]) === MESSAGE_DIGEST)
  if (digests.length !== 1) throw new TypeError('Not one digest.')
  const digest = bytesOf(partsOf(partsOf(digests[0])[1])[0])
  // They are signed as the set that they are, not under the tag that they stand.
  return { der: derOf({ ...signed, tagClass: Class.UNIVERSAL, type: Type.SET }), digest }
}

/** True when the signature is one of the certificate's key over the content. */
export function cmsHolds(given: CmsSignature, certificate: X509Certificate, content: Buffer): boolean {
  const { attributes, hash, signature } = given
  if (attributes && !createHash(hash).update(content).digest().equals(attributes.digest)) return false
  try {
    return verify(hash, attributes?.der ?? content, certificate.publicKey, signature)
  } catch {
    return false
  }
}
