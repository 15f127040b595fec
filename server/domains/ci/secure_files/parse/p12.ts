import forge from 'node-forge'

import {
  bytesOf,
  oidOf,
  childrenOf,
  parseDer,
  findTagged,
  type DerNode,
} from '../../../../lib/security/der.ts'
import { describeCertificate } from './certificate.ts'
import type { Description } from './certificate.ts'

const DATA = '1.2.840.113549.1.7.1'
const ENCRYPTED_DATA = '1.2.840.113549.1.7.6'
const CERTIFICATE_BAG = '1.2.840.113549.1.12.10.1.3'
const LOCAL_KEY = '1.2.840.113549.1.9.21'
const PBES2 = '1.2.840.113549.1.5.13'

interface Cipher {
  readonly output: forge.util.ByteStringBuffer
  update(input: forge.util.ByteStringBuffer): void
  finish(): boolean
}

/** Ciphers of PKCS#5 and PKCS#12 with the key from a password; the declared types leave this part out. */
const { pbe } = forge.pki as unknown as {
  pbe: { getCipher(oid: string, params: DerNode, password: string | null): Cipher }
}

/** The maximum number of rounds of key derivation. The file sets the number, so it must be limited. */
const MAX_ROUNDS = { native: 100_000, own: 10_000 }
/** The maximum number of encrypted parts. Programs write two, one with certificates and one with keys. */
const MAX_PARTS = 4

/**
 * Reads the metadata of the certificate in a PKCS#12 store without a password: the one that belongs to the key, or the
 * first. Throws for anything else. Keys are not decrypted, and the checksum is not verified.
 */
export function describeP12(content: Buffer): Description {
  const [, authSafe] = childrenOf(parseDer(content))
  const safes = childrenOf(parseDer(contentOf(authSafe)))
  if (safes.length > MAX_PARTS) throw new TypeError('Too many parts.')
  const bags = safes.flatMap((safe) => childrenOf(parseDer(openSafe(safe)))).map(childrenOf)
  const certificates = bags.filter(([id]) => oidOf(id) === CERTIFICATE_BAG)
  const certificate =
    certificates.find((bag) => bag[2] && childrenOf(bag[2]).some(isKeyId)) ?? certificates[0]
  // CertBag: the kind of certificate, and the certificate as [0] OCTET STRING.
  const [, held] = childrenOf(childrenOf(certificate?.[1])[0])
  return describeCertificate(bytesOf(childrenOf(held)[0]))
}

function isKeyId(attribute: DerNode): boolean {
  return oidOf(childrenOf(attribute)[0]) === LOCAL_KEY
}

/** The bytes of a ContentInfo with plain data. */
function contentOf(info: DerNode | undefined): Buffer {
  const [type, content] = childrenOf(info)
  if (oidOf(type) !== DATA) throw new TypeError('Not plain data.')
  return bytesOf(childrenOf(content)[0])
}

function openSafe(info: DerNode): Buffer {
  const [type, content] = childrenOf(info)
  if (oidOf(type) !== ENCRYPTED_DATA) return contentOf(info)
  const [, encrypted] = childrenOf(childrenOf(content)[0])
  const parts = childrenOf(encrypted)
  const [algorithm, params] = childrenOf(parts[1])
  const sealed = findTagged(parts, 0)
  checkRounds(oidOf(algorithm), params)
  // There are two encodings of "no password".
  const opened =
    decrypt(algorithm!, params!, bytesOf(sealed), '') ?? decrypt(algorithm!, params!, bytesOf(sealed), null)
  if (!opened) throw new TypeError('It has a password.')
  return opened
}

function decrypt(
  algorithm: DerNode,
  params: DerNode,
  sealed: Buffer,
  password: string | null,
): Buffer | undefined {
  const oid = oidOf(algorithm)
  try {
    const cipher = pbe.getCipher(oid, params, password)
    cipher.update(forge.util.createBuffer(sealed.toString('binary')))
    if (!cipher.finish()) return undefined
    const opened = Buffer.from(cipher.output.getBytes(), 'binary')
    // A wrong key yields random bytes, which sometimes have valid padding but no valid structure.
    childrenOf(parseDer(opened))
    return opened
  } catch {
    return undefined
  }
}

function checkRounds(algorithm: string, params: DerNode | undefined): void {
  const isNative = algorithm === PBES2
  // PBES2: the derivation's own parameters; the older ones: salt and rounds.
  const holder = isNative ? childrenOf(childrenOf(params)[0])[1] : params
  const rounds = BigInt(`0x${bytesOf(childrenOf(holder)[1]).toString('hex')}`)
  if (rounds > BigInt(isNative ? MAX_ROUNDS.native : MAX_ROUNDS.own)) throw new TypeError('Too many rounds.')
}
