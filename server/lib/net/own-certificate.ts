import { X509Certificate } from 'node:crypto'

/** The certificate that an instance shows at its own address. It is read anew whenever it is replaced. */
export interface OwnCertificate {
  /** The certificate, and those that lead to its issuer, in PEM. */
  readonly pem: string
  /** A copy of the same, for programs that want a file. */
  readonly file: string
  /** Origins at which the instance answers with it. */
  readonly origins: readonly string[]
  /** What is wrong with it: a sentence. */
  readonly warning: string | undefined
  /** Reads its files again. */
  reload(): void
}

/**
 * Options of a TLS connection that accepts this one certificate and no other, whoever issued it and whatever names are in
 * it. Its dates still count. `pem` begins with the certificate itself.
 */
export function trusting(pem: string | Buffer) {
  const own = new X509Certificate(pem)
  return {
    ca: own.toString(),
    // The issuer of the certificate need not be known.
    allowPartialTrustChain: true,
    rejectUnauthorized: true,
    checkServerIdentity: (_host: string, { fingerprint256 }: { readonly fingerprint256: string }) =>
      fingerprint256 === own.fingerprint256
        ? undefined
        : new Error('The other side shows another certificate than that of the instance'),
  }
}

/** Settings of git that accept the certificate where the instance answers with it; none without one. */
export function gitTrust(own: Pick<OwnCertificate, 'file' | 'origins'> | undefined) {
  return (own?.origins ?? []).map((origin) => [`http.${origin}/.sslCAInfo`, own!.file] as const)
}
