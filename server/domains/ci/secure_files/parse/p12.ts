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

/** The ciphers of PKCS#5 and PKCS#12, which derive the key from a password. The types of the library leave them out. */
const { pbe } = forge.pki as unknown as {
  pbe: { getCipher(oid: string, params: DerNode, password: string | null): Cipher }
}

/** The maximum number of rounds of key derivation, with Node's implementation and with that of the library. */
const MAX_ROUNDS = { native: 100_000, library: 10_000 }
/** The maximum number of safes. Programs write two, one with certificates and one with keys. */
const MAX_SAFES = 4

/**
 * Reads the metadata of a certificate in a PKCS#12 store without a password: the certificate that belongs to the key, or
 * the first one. Throws for anything else. Keys are not decrypted, and the checksum is not verified.
 */
export function describeP12(content: Buffer): Description {
  const [, authSafe] = childrenOf(parseDer(content))
  const safes = childrenOf(parseDer(contentOf(authSafe)))
  if (safes.length > MAX_SAFES) throw new TypeError('Too many safes.')
  const bags = safes.flatMap((safe) => childrenOf(parseDer(openSafe(safe)))).map(childrenOf)
  const certificates = bags.filter(([id]) => oidOf(id) === CERTIFICATE_BAG)
  const certificate =
    certificates.find((bag) => bag[2] && childrenOf(bag[2]).some(isKeyId)) ?? certificates[0]
  // A CertBag contains the type of the certificate, and the certificate as [0] OCTET STRING.
  const [, value] = childrenOf(childrenOf(certificate?.[1])[0])
  return describeCertificate(bytesOf(childrenOf(value)[0]))
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
  const [type, data] = childrenOf(info)
  if (oidOf(type) !== ENCRYPTED_DATA) return contentOf(info)
  const [, encrypted] = childrenOf(childrenOf(data)[0])
  const parts = childrenOf(encrypted)
  const [algorithm, params] = childrenOf(parts[1])
  const ciphertext = bytesOf(findTagged(parts, 0))
  checkRounds(oidOf(algorithm), params)
  // An absent password can be encoded in two ways.
  const content =
    decrypt(algorithm!, params!, ciphertext, '') ?? decrypt(algorithm!, params!, ciphertext, null)
  if (!content) throw new TypeError('The file has a password.')
  return content
}

function decrypt(
  algorithm: DerNode,
  params: DerNode,
  ciphertext: Buffer,
  password: string | null,
): Buffer | undefined {
  const oid = oidOf(algorithm)
  try {
    const cipher = pbe.getCipher(oid, params, password)
    cipher.update(forge.util.createBuffer(ciphertext.toString('binary')))
    if (!cipher.finish()) return undefined
    const content = Buffer.from(cipher.output.getBytes(), 'binary')
    // After decryption with a wrong key, the padding may be valid by chance, but reading the structure throws.
    childrenOf(parseDer(content))
    return content
  } catch {
    return undefined
  }
}

/** Throws if the key derivation has too many rounds. The file sets the number, so it must be limited. */
function checkRounds(algorithm: string, params: DerNode | undefined): void {
  const isNative = algorithm === PBES2
  // PBES2 has the parameters of the key derivation in a structure of their own. They begin with the salt and the rounds.
  const derivation = isNative ? childrenOf(childrenOf(params)[0])[1] : params
  const rounds = BigInt(`0x${bytesOf(childrenOf(derivation)[1]).toString('hex')}`)
  const limit = isNative ? MAX_ROUNDS.native : MAX_ROUNDS.library
  if (rounds > BigInt(limit)) throw new TypeError('Too many rounds.')
}
