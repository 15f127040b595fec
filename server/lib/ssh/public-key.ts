import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'

import { WireReader } from './wire.ts'

/** The kinds of keys, by the names in the settings that restrict them. */
export type SshKeyKind = 'rsa' | 'dsa' | 'ecdsa' | 'ed25519' | 'ecdsa_sk' | 'ed25519_sk'

/** A public key of SSH. */
export interface SshPublicKey {
  /** Name on the wire, such as `ssh-ed25519`. */
  readonly type: string
  readonly kind: SshKeyKind
  readonly bits: number
  /** The key as SSH sends it. */
  readonly blob: Buffer
  /** The comment after the key; usually its creator. */
  readonly comment: string
  /** The application name that a security token signs for. */
  readonly application?: string
  /** The key for checking signatures; undefined for DSA, because its signatures are no longer accepted. */
  readonly verifier: KeyObject | undefined
}

type KeyParts = Pick<SshPublicKey, 'kind' | 'bits' | 'verifier' | 'application'>

const CURVES: Readonly<Record<string, { crv: string; bits: number; bytes: number }>> = {
  nistp256: { crv: 'P-256', bits: 256, bytes: 32 },
  nistp384: { crv: 'P-384', bits: 384, bytes: 48 },
  nistp521: { crv: 'P-521', bits: 521, bytes: 66 },
}

const READERS: Readonly<Record<string, (reader: WireReader) => KeyParts | undefined>> = {
  'ssh-rsa': rsa,
  'ssh-dss': dsa,
  'ssh-ed25519': (reader) => ed25519(reader, 'ed25519'),
  'ecdsa-sha2-nistp256': (reader) => ecdsa(reader, 'nistp256', 'ecdsa'),
  'ecdsa-sha2-nistp384': (reader) => ecdsa(reader, 'nistp384', 'ecdsa'),
  'ecdsa-sha2-nistp521': (reader) => ecdsa(reader, 'nistp521', 'ecdsa'),
  'sk-ssh-ed25519@openssh.com': (reader) => withApplication(ed25519(reader, 'ed25519_sk'), reader),
  'sk-ecdsa-sha2-nistp256@openssh.com': (reader) =>
    withApplication(ecdsa(reader, 'nistp256', 'ecdsa_sk'), reader),
}

/** OpenSSH creates no larger keys, and verifying their signatures is expensive. */
const MAX_RSA_BITS = 16_384
const MIN_RSA_BITS = 1024

/**
 * Reads `type base64 comment`, one line as in a `.pub` file. Undefined for anything else: other types and certificates,
 * a text that does not fit its type, numbers that no key has, options before the type, several lines.
 */
export function parseSshKey(text: string): SshPublicKey | undefined {
  const match = /^([a-z0-9@.-]{1,64}) ([A-Za-z0-9+/]{16,12000}={0,2})(?: +([^\x00-\x1f\x7f]{0,1000}))?$/.exec(
    text.trim(),
  )
  if (!match) return undefined
  const [, type = '', encoded = '', comment = ''] = match
  const blob = Buffer.from(encoded, 'base64')
  const key = blob.toString('base64') === encoded ? parseSshKeyBlob(blob) : undefined
  return key?.type === type ? { ...key, comment: comment.trim() } : undefined
}

/** Reads a key in the binary form that SSH sends; undefined for anything else. */
export function parseSshKeyBlob(blob: Buffer): SshPublicKey | undefined {
  const reader = new WireReader(blob)
  const type = reader.text() ?? ''
  try {
    const parts = Object.hasOwn(READERS, type) ? READERS[type]!(reader) : undefined
    return parts && reader.isAtEnd ? { type, blob, comment: '', ...parts } : undefined
  } catch {
    // OpenSSL refuses invalid keys, such as a point that is not on its curve.
    return undefined
  }
}

/** The line to store and show: type, key, and the comment if there is one. */
export function sshKeyLine(key: SshPublicKey, comment = key.comment): string {
  return [key.type, key.blob.toString('base64'), ...(comment === '' ? [] : [comment])].join(' ')
}

/** Fingerprints of a key as OpenSSH prints them: `SHA256:…`, and MD5 as `aa:bb:…`. */
export function fingerprintsOf(blob: Buffer): { md5: string; sha256: string } {
  const md5 = createHash('md5').update(blob).digest('hex')
  const sha256 = createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')
  return { md5: md5.match(/../g)!.join(':'), sha256: `SHA256:${sha256}` }
}

function verifierOf(key: JsonWebKey): KeyObject {
  return createPublicKey({ key, format: 'jwk' })
}

function rsa(reader: WireReader): KeyParts | undefined {
  const e = reader.positive()
  const n = reader.positive()
  if (!e || !n || e.length > 8 || !isOdd(e) || !isOdd(n) || (e.length === 1 && e[0]! < 3)) return undefined
  const bits = bitsOf(n)
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS) return undefined
  const verifier = verifierOf({ kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') })
  return { kind: 'rsa', bits, verifier }
}

function dsa(reader: WireReader): KeyParts | undefined {
  const [p, ...others] = [reader.positive(), reader.positive(), reader.positive(), reader.positive()]
  if (!p || others.includes(undefined) || bitsOf(p) < 1024 || bitsOf(p) > 3072) return undefined
  return { kind: 'dsa', bits: bitsOf(p), verifier: undefined }
}

function ecdsa(reader: WireReader, name: string, kind: 'ecdsa' | 'ecdsa_sk'): KeyParts | undefined {
  const { crv, bits, bytes } = CURVES[name]!
  const curve = reader.text()
  const point = reader.string()
  // 4: both coordinates follow; the short form is not in use.
  if (curve !== name || point?.length !== 1 + 2 * bytes || point[0] !== 4) return undefined
  const x = point.subarray(1, 1 + bytes).toString('base64url')
  const y = point.subarray(1 + bytes).toString('base64url')
  return { kind, bits, verifier: verifierOf({ kty: 'EC', crv, x, y }) }
}

function ed25519(reader: WireReader, kind: 'ed25519' | 'ed25519_sk'): KeyParts | undefined {
  const x = reader.string()
  if (x?.length !== 32) return undefined
  const verifier = verifierOf({ kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') })
  return { kind, bits: 256, verifier }
}

function withApplication(parts: KeyParts | undefined, reader: WireReader): KeyParts | undefined {
  const application = reader.text()
  return parts && application ? { ...parts, application } : undefined
}

function isOdd(number: Buffer): boolean {
  return (number.at(-1)! & 1) === 1
}

function bitsOf(number: Buffer): number {
  return number.length * 8 - (Math.clz32(number[0]!) - 24)
}
