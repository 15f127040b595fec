import { createHash, X509Certificate } from 'node:crypto'
import { getCACertificates } from 'node:tls'

import { bytesOf, derOf, oidOf, partsOf, read } from '../../../lib/security/der.ts'
import type { CmsSignature } from './cms.ts'
import type { Certificate } from './signature.ts'

const SUBJECT_KEY = '2.5.29.14'
const AUTHORITY_KEY = '2.5.29.35'
const CRL_POINTS = '2.5.29.31'
const MAX_CHAIN = 8

/** The certificate of the signer, if the message has it. */
export function signerOf({ certificates, signer }: CmsSignature): X509Certificate | undefined {
  const found = certificates.find((der) => {
    try {
      const { issuer, serial } = namesOf(der)
      return issuer.equals(signer.issuer) && serial === signer.serial
    } catch {
      return false
    }
  })
  return found && readCertificate(found)
}

/** Serial number and issuer as they stand in a certificate. */
function namesOf(der: Buffer): { issuer: Buffer; serial: string } {
  const body = partsOf(partsOf(read(der))[0])
  // The version stands in front unless it is the first.
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

/** True when a certificate leads to an authority that this machine trusts, each one good at the time. */
export function isTrusted(certificate: X509Certificate, others: readonly Buffer[], time: Date): boolean {
  const between = others.flatMap((der) => readCertificate(der) ?? [])
  const roots = [...getCACertificates('default'), ...getCACertificates('system')]
  const authorities = roots.flatMap((pem) => readCertificate(pem) ?? [])
  let current = certificate
  for (let step = 0; step < MAX_CHAIN; step++) {
    if (!isGoodAt(current, time)) return false
    const issued = (issuer: X509Certificate) => isIssuedBy(current, issuer)
    if (authorities.some(issued)) return true
    const next = between.find((other) => other.fingerprint256 !== current.fingerprint256 && issued(other))
    if (!next) return false
    current = next
  }
  return false
}

function isGoodAt(certificate: X509Certificate, time: Date): boolean {
  return certificate.validFromDate <= time && time <= certificate.validToDate
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

/** Addresses that a certificate is for, in lower case. */
export function emailsOf(certificate: X509Certificate): string[] {
  const alternative = [...(certificate.subjectAltName ?? '').matchAll(/(?:^|, )email:([^,"]+)/g)]
  const subject = [...certificate.subject.matchAll(/^emailAddress=(.+)$/gm)]
  return [...alternative, ...subject].map((match) => match[1]!.trim().toLowerCase())
}

/** What is shown of a certificate. */
export function shownCertificate(certificate: X509Certificate): Certificate {
  const extensions = extensionsOf(certificate.raw)
  const issuer = nameLine(certificate.issuer)
  const authority = idOfAuthority(extensions.get(AUTHORITY_KEY))
  return {
    id: numberOf(certificate.raw),
    subject: nameLine(certificate.subject),
    subject_key_identifier: colons(inner(extensions.get(SUBJECT_KEY))),
    email: emailsOf(certificate)[0] ?? '',
    serial_number: BigInt(`0x${certificate.serialNumber}`).toString(),
    issuer: {
      id: numberOf(`${issuer} ${authority}`),
      subject: issuer,
      subject_key_identifier: authority,
      crl_url:
        /https?:\/\/[\x21-\x7e]+/.exec(extensions.get(CRL_POINTS)?.toString('latin1') ?? '')?.[0] ?? '',
    },
  }
}

/** Certificates are kept nowhere; a number that follows from them is always the same. */
function numberOf(content: Buffer | string): number {
  return Number.parseInt(createHash('sha256').update(content).digest('hex').slice(0, 7), 16)
}

/** A name in one line, the narrowest part first (RFC 2253). */
function nameLine(name: string): string {
  return name.split('\n').toReversed().join(',')
}

function colons(bytes: Buffer | undefined): string {
  return bytes?.toString('hex').toUpperCase().match(/../g)?.join(':') ?? ''
}

function extensionsOf(der: Buffer): Map<string, Buffer> {
  const body = partsOf(partsOf(read(der))[0])
  const holder = body.find((node) => node.tagClass !== 0 && (node.type as number) === 3)
  const list = holder ? partsOf(partsOf(holder)[0]) : []
  return new Map(
    list.map((extension) => {
      const parts = partsOf(extension)
      return [oidOf(parts[0]), bytesOf(parts.at(-1))]
    }),
  )
}

function inner(extension: Buffer | undefined): Buffer | undefined {
  return extension && bytesOf(read(extension))
}

function idOfAuthority(extension: Buffer | undefined): string {
  if (!extension) return ''
  const id = partsOf(read(extension)).find((node) => (node.type as number) === 0)
  return id ? colons(bytesOf(id)) : ''
}
