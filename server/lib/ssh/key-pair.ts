import { generateKeyPairSync, randomBytes } from 'node:crypto'

import { wireString } from './wire.ts'

const TYPE = 'ssh-ed25519'
/** Block size of the cipher "none", to which the format is padded. */
const BLOCK = 8

/** A new pair of keys as OpenSSH writes them to files. */
export interface SshKeyPair {
  readonly privateKey: string
  /** One line: type, key and comment. */
  readonly publicKey: string
}

/**
 * Creates a pair of Ed25519 keys in the format of OpenSSH, because older versions of OpenSSH read such keys in no other
 * format.
 */
export function makeSshKeyPair(comment: string): SshKeyPair {
  const { privateKey } = generateKeyPairSync('ed25519')
  const { x, d } = privateKey.export({ format: 'jwk' })
  const [publicBytes, privateBytes] = [Buffer.from(x!, 'base64url'), Buffer.from(d!, 'base64url')]
  const blob = Buffer.concat([wireString(TYPE), wireString(publicBytes)])
  return {
    privateKey: privateKeyFile({ blob, publicBytes, privateBytes, comment }),
    publicKey: `${TYPE} ${blob.toString('base64')} ${comment}`,
  }
}

function privateKeyFile(key: {
  blob: Buffer
  publicBytes: Buffer
  privateBytes: Buffer
  comment: string
}): string {
  // The same number twice lets a reader verify the decryption.
  const check = randomBytes(4)
  const inner = Buffer.concat([
    check,
    check,
    key.blob,
    wireString(Buffer.concat([key.privateBytes, key.publicBytes])),
    wireString(key.comment),
  ])
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, (BLOCK - (inner.length % BLOCK)) % BLOCK))
  const keyCount = Buffer.from([0, 0, 0, 1])
  const file = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    wireString('none'),
    wireString('none'),
    wireString(''),
    keyCount,
    wireString(key.blob),
    wireString(Buffer.concat([inner, padding])),
  ])
  const lines = file.toString('base64').match(/.{1,70}/g)!
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n')
}
