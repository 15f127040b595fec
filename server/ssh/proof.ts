import { verify } from 'node:crypto'

import { parseSshKeyBlob } from '../lib/ssh/public-key.ts'
import { isSshSignatureValid } from '../lib/ssh/signature.ts'
import { wireString } from '../lib/ssh/wire.ts'

/** The signature that proves that a client owns a key, as ssh2 returns it. */
export interface Proof {
  readonly key: { readonly algo: string; readonly data: Buffer }
  /** The hash of an RSA signature, such as `sha256`. */
  readonly hashAlgo?: string | undefined
  /** The signature without its SSH envelope. ECDSA signatures are in OpenSSL's format. */
  readonly signature?: Buffer | undefined
  /** The session data that the client signs. */
  readonly blob?: Buffer | undefined
}

const CURVE_HASH: Readonly<Record<number, string>> = { 256: 'sha256', 384: 'sha384', 521: 'sha512' }
/** The bytes after the signature of a security token: one of flags, and a counter. */
const TOKEN_SUFFIX_BYTES = 5

/** Whether the signature is the key's signature of the session data. */
export function isProofValid({ key: offeredKey, hashAlgo, signature, blob }: Proof): boolean {
  const key = parseSshKeyBlob(offeredKey.data)
  if (!key?.verifier || !signature || !blob || key.type !== offeredKey.algo) return false
  try {
    switch (key.kind) {
      case 'rsa':
        // A signature without a hash uses SHA-1, which is not accepted.
        return hashAlgo !== undefined && verify(hashAlgo, blob, key.verifier, signature)
      case 'ed25519':
        return verify(null, blob, key.verifier, signature)
      case 'ecdsa':
        return verify(CURVE_HASH[key.bits]!, blob, key.verifier, signature)
      case 'ed25519_sk':
      case 'ecdsa_sk': {
        if (signature.length <= TOKEN_SUFFIX_BYTES) return false
        const signatureOnly = signature.subarray(0, -TOKEN_SUFFIX_BYTES)
        const suffix = signature.subarray(-TOKEN_SUFFIX_BYTES)
        const envelope = Buffer.concat([wireString(key.type), wireString(signatureOnly), suffix])
        return isSshSignatureValid(key, envelope, blob)
      }
      default:
        return false
    }
  } catch {
    return false
  }
}
