import { createPrivateKey, X509Certificate } from 'node:crypto'

import type { Problem } from './problem.ts'

/** The client certificate for the service of authorization: readable, and the key is its own. */
export function certificate(cert: string | null, key: string | null, password: string | null): Problem[] {
  if (!cert) return []
  const read = attempt(() => new X509Certificate(cert))
  if (!read) return [['external_auth_client_cert', 'is not a valid X509 certificate.']]
  if (!key) return [['external_auth_client_key', "can't be blank"]]
  const secret = attempt(() => createPrivateKey({ key, ...(password ? { passphrase: password } : {}) }))
  if (!secret) return [['external_auth_client_key', 'could not read private key, is the passphrase correct?']]
  return read.checkPrivateKey(secret)
    ? []
    : [['external_auth_client_key', 'provided key does not match the certificate']]
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
