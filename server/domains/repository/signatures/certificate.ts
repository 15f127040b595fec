import { createHash, X509Certificate, verify } from 'node:crypto'
import { getCACertificates } from 'node:tls'
import forge from 'node-forge'

import {
  bytesOf,
  derOf,
  oidOf,
  childrenOf,
  parseDer,
  findTagged,
  type DerNode,
} from '../../../lib/security/der.ts'
import type { Certificate } from './signature.ts'

/** The signature in a CMS message with one signer (RFC 5652). */
export interface CmsSignature {
  /** All certificates of the message, as DER. */
  readonly certificates: readonly Buffer[]
  /** Identifies the signer's certificate: its issuer as DER, and its serial number as hex. */
  readonly signer: { readonly issuer: Buffer; readonly serial: string }
  readonly hash: string
  /** The signed attributes as DER; undefined if the content itself is signed. */
  readonly attributes: { readonly der: Buffer; readonly digest: Buffer } | undefined
  readonly signature: Buffer
}

/** Object identifiers in CMS messages. */
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

/** Parses an S/MIME signature as git stores it; undefined for anything else, or for several signers. */
export function parseCms(armored: string): CmsSignature | undefined {
  const [, encoded] = ARMOR.exec(armored.trim()) ?? []
  if (encoded === undefined) return undefined
  try {
    return signatureOf(parseDer(Buffer.from(encoded.replace(/[\r\n]/g, ''), 'base64')))
  } catch {
    return undefined
  }
}

function signatureOf(message: DerNode): CmsSignature | undefined {
  const [type, content] = childrenOf(message)
  if (oidOf(type) !== SIGNED_DATA) return undefined
  const data = childrenOf(childrenOf(content)[0])
  const signers = childrenOf(data.at(-1))
  if (signers.length !== 1) return undefined
  const certificates = findTagged(data, 0)
  const [, sid, digest, ...rest] = childrenOf(signers[0])
  const [issuer, serial] = childrenOf(sid)
  const hash = HASHES[oidOf(childrenOf(digest)[0])]
  const attributes = findTagged(rest.slice(0, 1), 0)
  const signature = rest[attributes ? 2 : 1]
  if (hash === undefined) return undefined
  return {
    certificates: certificates ? childrenOf(certificates).map(derOf) : [],
    signer: { issuer: derOf(issuer!), serial: bytesOf(serial).toString('hex') },
    hash,
    attributes: attributes && attributesOf(attributes),
    signature: bytesOf(signature),
  }
}

function attributesOf(attributes: DerNode): { der: Buffer; digest: Buffer } {
  const digests = childrenOf(attributes).filter(
    (attribute) => oidOf(childrenOf(attribute)[0]) === MESSAGE_DIGEST,
  )
  if (digests.length !== 1) throw new TypeError('The message does not have exactly one digest.')
  const digest = bytesOf(childrenOf(childrenOf(digests[0])[1])[0])
  // The signature covers the attributes with the tag of a set, not with the tag in the message.
  return { der: derOf({ ...attributes, tagClass: Class.UNIVERSAL, type: Type.SET }), digest }
}

/** Returns true if the certificate's key made the signature over the content. */
export function isCmsSignatureValid(
  input: CmsSignature,
  certificate: X509Certificate,
  content: Buffer,
): boolean {
  const { attributes, hash, signature } = input
  if (attributes && !createHash(hash).update(content).digest().equals(attributes.digest)) return false
  try {
    return verify(hash, attributes?.der ?? content, certificate.publicKey, signature)
  } catch {
    return false
  }
}

/** Object identifiers of certificate extensions. */
const SUBJECT_KEY = '2.5.29.14'
const AUTHORITY_KEY = '2.5.29.35'
const CRL_POINTS = '2.5.29.31'
const MAX_CHAIN = 8

/** Returns the signer's certificate, if the message contains it. */
export function signerOf({ certificates, signer }: CmsSignature): X509Certificate | undefined {
  const certificate = certificates.find((der) => {
    try {
      const { issuer, serial } = issuerOf(der)
      return issuer.equals(signer.issuer) && serial === signer.serial
    } catch {
      return false
    }
  })
  return certificate && readCertificate(certificate)
}

/** Returns the issuer and serial number of a certificate. */
function issuerOf(der: Buffer): { issuer: Buffer; serial: string } {
  const body = childrenOf(childrenOf(parseDer(der))[0])
  // The version comes first, but is absent in version 1.
  const first = body[0]!.tagClass === 0 ? 0 : 1
  return { serial: bytesOf(body[first]).toString('hex'), issuer: derOf(body[first + 2]!) }
}

function readCertificate(source: Buffer | string): X509Certificate | undefined {
  try {
    return new X509Certificate(source)
  } catch {
    return undefined
  }
}

/**
 * Returns true if a chain of certificates leads to an authority that this machine trusts, and every certificate of the
 * chain was valid at the time.
 */
export function isTrusted(certificate: X509Certificate, others: readonly Buffer[], time: Date): boolean {
  const intermediates = others.flatMap((der) => readCertificate(der) ?? [])
  const roots = [...getCACertificates('default'), ...getCACertificates('system')]
  const authorities = roots.flatMap((pem) => readCertificate(pem) ?? [])
  let current = certificate
  for (let step = 0; step < MAX_CHAIN; step++) {
    if (!isValidAt(current, time)) return false
    const isIssuer = (issuer: X509Certificate) => isIssuedBy(current, issuer)
    if (authorities.some(isIssuer)) return true
    const next = intermediates.find(
      (other) => other.fingerprint256 !== current.fingerprint256 && isIssuer(other),
    )
    if (!next) return false
    current = next
  }
  return false
}

function isValidAt(certificate: X509Certificate, time: Date): boolean {
  return certificate.validFromDate <= time && time <= certificate.validToDate
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

/** Returns the email addresses of a certificate, in lower case. */
export function emailsOf(certificate: X509Certificate): string[] {
  const alternatives = [...(certificate.subjectAltName ?? '').matchAll(/(?:^|, )email:([^,"]+)/g)]
  const subject = [...certificate.subject.matchAll(/^emailAddress=(.+)$/gm)]
  return [...alternatives, ...subject].map((match) => match[1]!.trim().toLowerCase())
}

/** Returns the fields of a certificate that the API shows. */
export function certificateFields(certificate: X509Certificate): Certificate {
  const extensions = extensionsOf(certificate.raw)
  const issuer = nameLine(certificate.issuer)
  const authority = idOfAuthority(extensions.get(AUTHORITY_KEY))
  return {
    id: idOf(certificate.raw),
    subject: nameLine(certificate.subject),
    subject_key_identifier: withColons(valueOf(extensions.get(SUBJECT_KEY))),
    email: emailsOf(certificate)[0] ?? '',
    serial_number: BigInt(`0x${certificate.serialNumber}`).toString(),
    issuer: {
      id: idOf(`${issuer} ${authority}`),
      subject: issuer,
      subject_key_identifier: authority,
      crl_url:
        /https?:\/\/[\x21-\x7e]+/.exec(extensions.get(CRL_POINTS)?.toString('latin1') ?? '')?.[0] ?? '',
    },
  }
}

/** Certificates are not stored, so their id is computed from their content and is always the same. */
function idOf(content: Buffer | string): number {
  return Number.parseInt(createHash('sha256').update(content).digest('hex').slice(0, 7), 16)
}

/** Formats a name in one line, the most specific part first (RFC 2253). */
function nameLine(name: string): string {
  return name.split('\n').toReversed().join(',')
}

/** Formats bytes as hex with colons. */
function withColons(bytes: Buffer | undefined): string {
  return bytes?.toString('hex').toUpperCase().match(/../g)?.join(':') ?? ''
}

function extensionsOf(der: Buffer): Map<string, Buffer> {
  const body = childrenOf(childrenOf(parseDer(der))[0])
  const node = body.find(({ tagClass, type }) => tagClass !== 0 && (type as number) === 3)
  const list = node ? childrenOf(childrenOf(node)[0]) : []
  return new Map(
    list.map((extension) => {
      const parts = childrenOf(extension)
      return [oidOf(parts[0]), bytesOf(parts.at(-1))]
    }),
  )
}

function valueOf(extension: Buffer | undefined): Buffer | undefined {
  return extension && bytesOf(parseDer(extension))
}

function idOfAuthority(extension: Buffer | undefined): string {
  if (!extension) return ''
  const id = childrenOf(parseDer(extension)).find((node) => (node.type as number) === 0)
  return id ? withColons(bytesOf(id)) : ''
}
