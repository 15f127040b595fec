import { verify } from 'node:crypto'

import { parseSshKeyBlob } from '../lib/ssh/public-key.ts'
import { isSshSignatureValid } from '../lib/ssh/signature.ts'
import { wireString } from '../lib/ssh/wire.ts'

/** The signature with which a client proves that it has a key, as ssh2 returns it. */
export interface Proof {
  readonly key: { readonly algo: string; readonly data: Buffer }
  /** The SHA-2 variant of an RSA signature. */
  readonly hashAlgo?: string | undefined
  /** Without its SSH envelope; ECDSA in OpenSSL's format. */
  readonly signature?: Buffer | undefined
  readonly blob?: Buffer | undefined
}

const CURVE_HASH: Readonly<Record<number, string>> = { 256: 'sha256', 384: 'sha384', 521: 'sha512' }
/** Flags and counter follow the signature of a security token. */
const TOKEN_SUFFIX_BYTES = 5

/** True when the key made the signature over the connection's session data. */
export function isProofValid({ key: shown, hashAlgo, signature, blob }: Proof): boolean {
  const key = parseSshKeyBlob(shown.data)
  if (!key?.verifier || !signature || !blob || key.type !== shown.algo) return false
  try {
    switch (key.kind) {
      case 'rsa':
        // Without a hash it would be SHA-1.
        return hashAlgo !== undefined && verify(hashAlgo, blob, key.verifier, signature)
      case 'ed25519':
        return verify(null, blob, key.verifier, signature)
      case 'ecdsa':
        return verify(CURVE_HASH[key.bits]!, blob, key.verifier, signature)
      case 'ed25519_sk':
      case 'ecdsa_sk': {
        if (signature.length <= TOKEN_SUFFIX_BYTES) return false
        const bare = signature.subarray(0, -TOKEN_SUFFIX_BYTES)
        const parts = [wireString(key.type), wireString(bare), signature.subarray(-TOKEN_SUFFIX_BYTES)]
        return isSshSignatureValid(key, Buffer.concat(parts), blob)
      }
      default:
        return false
    }
  } catch {
    return false
  }
}
