import { X509Certificate } from 'node:crypto'

/** What an X.509 certificate says of itself, given as DER or PEM (spec ci 6). Throws for anything else. */
export function describeCertificate(content: Buffer): Description {
  const certificate = new X509Certificate(content)
  return {
    id: serialOf(certificate),
    issuer: partsOfName(certificate.issuer),
    subject: partsOfName(certificate.subject),
    // Not-after is when it stops to work; readers of this field want to know that.
    expires_at: certificate.validToDate.toISOString(),
  }
}

/** The serial number as people find it in their accounts: decimal. */
export function serialOf(certificate: X509Certificate): string {
  return BigInt(`0x${certificate.serialNumber}`).toString()
}

/** A name as a map of its parts (`C`, `O`, `OU`, `CN`, `UID`); the last of a kind counts. */
function partsOfName(name: string | undefined): Record<string, string> {
  const parts = (name ?? '').split('\n').flatMap((line) => {
    const at = line.indexOf('=')
    return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : []
  })
  return Object.fromEntries(parts)
}

/** What a file says of itself; `expires_at` as ISO 8601, null where it does not end. */
export interface Description {
  readonly expires_at: string | null
  readonly [name: string]: unknown
}
