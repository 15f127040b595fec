import { generateKeyPairSync, type KeyObject } from 'node:crypto'

import { wireString } from '../../../../server/lib/ssh/wire.ts'

/** Encodes fields in the binary form of SSH keys as base64. */
export function wireOf(...fields: (string | Buffer)[]): string {
  return Buffer.concat(fields.map((field) => wireString(field))).toString('base64')
}

const bytesOf = (text: string | undefined) => Buffer.from(text ?? '', 'base64url')
/** Numbers must be positive, so a zero byte precedes a first bit of 1. */
const number = (bytes: Buffer) => (bytes[0]! & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)

/** Returns the public key line of a key from Node. */
export function lineOf(key: KeyObject, comment = ''): string {
  const { kty, crv, n, e, x, y } = key.export({ format: 'jwk' })
  const line = (type: string, ...fields: (string | Buffer)[]) =>
    [type, wireOf(type, ...fields), ...(comment ? [comment] : [])].join(' ')
  if (kty === 'RSA') return line('ssh-rsa', number(bytesOf(e)), number(bytesOf(n)))
  if (kty === 'OKP') return line('ssh-ed25519', bytesOf(x))
  const curve = `nistp${crv!.slice(2)}`
  return line(`ecdsa-sha2-${curve}`, curve, Buffer.concat([Buffer.from([4]), bytesOf(x), bytesOf(y)]))
}

export const ed25519Key = (comment = '') => lineOf(generateKeyPairSync('ed25519').publicKey, comment)
export const rsaKey = (modulusLength: number) =>
  lineOf(generateKeyPairSync('rsa', { modulusLength }).publicKey)
export const ecdsaKey = (namedCurve: string) => lineOf(generateKeyPairSync('ec', { namedCurve }).publicKey)

/** Returns a key of the type that security tokens have. */
export function tokenKey(type: 'sk-ssh-ed25519@openssh.com' | 'sk-ecdsa-sha2-nistp256@openssh.com'): string {
  const plain = type.includes('ed25519') ? ed25519Key() : ecdsaKey('P-256')
  const [name, blob] = plain.split(' ') as [string, string]
  const rest = Buffer.from(blob, 'base64').subarray(4 + name.length)
  const bytes = Buffer.concat([wireString(type), rest, wireString('ssh:')])
  return `${type} ${bytes.toString('base64')}`
}
