import { X509Certificate } from 'node:crypto'

/** Reads the metadata of an X.509 certificate in DER or PEM (spec ci 6). Throws for anything else. */
export function describeCertificate(content: Buffer): Description {
  const certificate = new X509Certificate(content)
  return {
    id: serialOf(certificate),
    issuer: partsOfName(certificate.issuer),
    subject: partsOfName(certificate.subject),
    // The end of its validity.
    expires_at: certificate.validToDate.toISOString(),
  }
}

/** The serial number in decimal, as developer accounts show it. */
export function serialOf(certificate: X509Certificate): string {
  return BigInt(`0x${certificate.serialNumber}`).toString()
}

/** A name as a map of its parts (`C`, `O`, `OU`, `CN`, `UID`). Of several values of one part, the last counts. */
function partsOfName(name: string | undefined): Record<string, string> {
  const parts = (name ?? '').split('\n').flatMap((line) => {
    const at = line.indexOf('=')
    return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : []
  })
  return Object.fromEntries(parts)
}

/** Metadata of a file. `expires_at` is ISO 8601, null if it does not expire. */
export interface Description {
  readonly expires_at: string | null
  readonly [name: string]: unknown
}
