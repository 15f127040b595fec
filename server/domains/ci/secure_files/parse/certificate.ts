import { X509Certificate } from 'node:crypto'

/** Reads the metadata of an X.509 certificate in DER or PEM (spec ci 6). Throws for anything else. */
export function describeCertificate(content: Buffer): Description {
  const certificate = new X509Certificate(content)
  return {
    id: serialOf(certificate),
    issuer: attributesOf(certificate.issuer),
    subject: attributesOf(certificate.subject),
    expires_at: certificate.validToDate.toISOString(),
  }
}

/** The serial number as a decimal number, as Apple developer accounts show it. */
export function serialOf(certificate: X509Certificate): string {
  return BigInt(`0x${certificate.serialNumber}`).toString()
}

/** The attributes of a distinguished name (`C`, `O`, `OU`, `CN`, `UID`). Of several values the last one is used. */
function attributesOf(name: string | undefined): Record<string, string> {
  const attributes = (name ?? '').split('\n').flatMap((line) => {
    const separator = line.indexOf('=')
    return separator > 0 ? [[line.slice(0, separator), line.slice(separator + 1)] as const] : []
  })
  return Object.fromEntries(attributes)
}

/** The metadata of a file. `expires_at` is null if the file does not expire. */
export interface Description {
  readonly expires_at: string | null
  readonly [name: string]: unknown
}
