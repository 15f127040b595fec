import { X509Certificate } from 'node:crypto'

/** The certificate of the instance's own address. It is read again when it is replaced. */
export interface OwnCertificate {
  /** The certificate, and the intermediate certificates up to its issuer, in PEM. */
  readonly pem: string
  /** A copy in a file, for programs that need one. */
  readonly file: string
  /** Origins that use the certificate. */
  readonly origins: readonly string[]
  /** A sentence about a problem of the certificate. */
  readonly warning: string | undefined
  /** Reads its files again. */
  reload(): void
}

/**
 * Options of a TLS connection that accepts only this certificate, regardless of its issuer and names, while its dates are
 * valid. `pem` begins with the certificate itself.
 */
export function tlsOptionsFor(pem: string | Buffer) {
  const certificate = new X509Certificate(pem)
  return {
    ca: certificate.toString(),
    // The issuer may be unknown.
    allowPartialTrustChain: true,
    rejectUnauthorized: true,
    checkServerIdentity: (_host: string, { fingerprint256 }: { readonly fingerprint256: string }) =>
      fingerprint256 === certificate.fingerprint256
        ? undefined
        : new Error('The host presents a certificate that is not the one of the instance'),
  }
}

/** Settings with which git accepts the certificate of the instance at its own origins; none without a certificate. */
export function gitTrust(own: Pick<OwnCertificate, 'file' | 'origins'> | undefined) {
  return (own?.origins ?? []).map((origin) => [`http.${origin}/.sslCAInfo`, own!.file] as const)
}
