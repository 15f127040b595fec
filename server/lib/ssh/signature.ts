import { createHash, verify } from 'node:crypto'

import { parseSshKeyBlob, type SshPublicKey } from './public-key.ts'
import { WireReader, wireString } from './wire.ts'

const CURVE_HASH: Readonly<Record<number, string>> = { 256: 'sha256', 384: 'sha384', 521: 'sha512' }
const RSA_HASH: Readonly<Record<string, string>> = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }
/** The flag that a security token sets after a touch. */
const USER_PRESENT = 1

/**
 * True if `signature`, in the binary form of SSH, is a valid signature of `data` by the key. RSA is accepted with SHA-2
 * only, and a security token must have been touched. False for unsupported formats.
 */
export function isSshSignatureValid(key: SshPublicKey, signature: Buffer, data: Buffer): boolean {
  const reader = new WireReader(signature)
  const algorithm = reader.text()
  const rawSignature = reader.string()
  if (algorithm === undefined || rawSignature === undefined || !key.verifier) return false
  try {
    if (key.kind === 'ed25519_sk' || key.kind === 'ecdsa_sk') {
      if (algorithm !== key.type) return false
      const flags = reader.byte()
      const counter = reader.bytes(4)
      return reader.isAtEnd && isTokenSignatureValid(key, { rawSignature, flags, counter }, data)
    }
    return reader.isAtEnd && isPlainSignatureValid(key, algorithm, rawSignature, data)
  } catch {
    return false
  }
}

function isPlainSignatureValid(
  key: SshPublicKey,
  algorithm: string,
  rawSignature: Buffer,
  data: Buffer,
): boolean {
  const verifier = key.verifier!
  if (key.kind === 'rsa') {
    const hash = RSA_HASH[algorithm]
    return hash !== undefined && verify(hash, data, verifier, rawSignature)
  }
  if (algorithm !== key.type) return false
  if (key.kind === 'ed25519') return verify(null, data, verifier, rawSignature)
  return key.kind === 'ecdsa' && isPairValid(key, rawSignature, data)
}

/** Verifies an ECDSA signature: two numbers, which OpenSSL takes concatenated, each with the length of the curve. */
function isPairValid(key: SshPublicKey, rawSignature: Buffer, data: Buffer): boolean {
  const reader = new WireReader(rawSignature)
  const size = Math.ceil(key.bits / 8)
  const [r, s] = [reader.positive(), reader.positive()]
  if (!r || !s || !reader.isAtEnd || r.length > size || s.length > size) return false
  const pair = Buffer.concat([r, s].map((part) => Buffer.concat([Buffer.alloc(size - part.length), part])))
  return verify(CURVE_HASH[key.bits]!, data, { key: key.verifier!, dsaEncoding: 'ieee-p1363' }, pair)
}

/** The data that a security token adds to a signature. */
interface TokenSignature {
  readonly rawSignature: Buffer
  readonly flags: number | undefined
  readonly counter: Buffer | undefined
}

function isTokenSignatureValid(key: SshPublicKey, signature: TokenSignature, data: Buffer): boolean {
  const { rawSignature, flags, counter } = signature
  if (flags === undefined || counter === undefined || !(flags & USER_PRESENT)) return false
  const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest()
  const signedData = Buffer.concat([sha256(key.application!), Buffer.from([flags]), counter, sha256(data)])
  return key.kind === 'ed25519_sk'
    ? verify(null, signedData, key.verifier!, rawSignature)
    : isPairValid(key, rawSignature, signedData)
}

/** A signature of a file as `ssh-keygen -Y sign` creates it, parsed but not verified. */
export interface SshFileSignature {
  readonly key: SshPublicKey
  readonly namespace: string
  readonly hash: 'sha256' | 'sha512'
  readonly signature: Buffer
}

const ARMOR = /^-----BEGIN SSH SIGNATURE-----\r?\n([A-Za-z0-9+/=\r\n]+?)\r?\n-----END SSH SIGNATURE-----\s*$/
const MAGIC = 'SSHSIG'

/** Reads an armored signature of a file (OpenSSH's PROTOCOL.sshsig); undefined for anything else. */
export function parseFileSignature(text: string): SshFileSignature | undefined {
  const [, encoded] = ARMOR.exec(text.trim()) ?? []
  if (encoded === undefined) return undefined
  const reader = new WireReader(Buffer.from(encoded.replace(/[\r\n]/g, ''), 'base64'))
  if (reader.bytes(MAGIC.length)?.toString('latin1') !== MAGIC || reader.uint32() !== 1) return undefined
  const blob = reader.string()
  const namespace = reader.text()
  const reserved = reader.string()
  const hash = reader.text()
  const signature = reader.string()
  const key = blob && parseSshKeyBlob(blob)
  if (!key || namespace === undefined || !reserved || !signature || !reader.isAtEnd) return undefined
  return hash === 'sha256' || hash === 'sha512' ? { key, namespace, hash, signature } : undefined
}

/** True if the file signature is valid for `content` and has the namespace, such as `git`. */
export function isFileSignatureValid(
  fileSignature: SshFileSignature,
  content: Buffer,
  namespace: string,
): boolean {
  if (fileSignature.namespace !== namespace) return false
  const digest = createHash(fileSignature.hash).update(content).digest()
  const signedData = Buffer.concat([
    Buffer.from(MAGIC),
    ...[fileSignature.namespace, '', fileSignature.hash].map(wireString),
    wireString(digest),
  ])
  return isSshSignatureValid(fileSignature.key, fileSignature.signature, signedData)
}
