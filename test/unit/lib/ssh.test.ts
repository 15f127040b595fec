import { createHash, generateKeyPairSync, sign } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import {
  fingerprintsOf,
  parseSshKey,
  parseSshKeyBlob,
  sshKeyLine,
} from '../../../server/lib/ssh/public-key.ts'
import { parseFileSignature, isSshSignatureValid } from '../../../server/lib/ssh/signature.ts'
import { wireString } from '../../../server/lib/ssh/wire.ts'
import { isProofValid } from '../../../server/ssh/proof.ts'
import { ed25519Key, lineOf, rsaKey } from '../../api/users/keys/samples.ts'

const DATA = Buffer.from('What is signed')
const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest()
const wire = (...parts: (Buffer | string)[]) => Buffer.concat(parts.map((part) => wireString(part)))

/** A simulated security token: a key and its signatures. */
function securityToken() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const type = 'sk-ssh-ed25519@openssh.com'
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
  const key = parseSshKeyBlob(wire(type, raw, 'ssh:'))!
  const signed = (flags: number, data = DATA) => {
    const tail = Buffer.from([flags, 0, 0, 0, 7])
    const content = Buffer.concat([sha256('ssh:'), tail, sha256(data)])
    return { bare: sign(null, content, privateKey), tail }
  }
  return { type, key, signed }
}

describe('an SSH public key', () => {
  it('is formatted as the same line', () => {
    const line = ed25519Key('somebody@somewhere')
    const key = parseSshKey(`  ${line}\n`)!
    expect(sshKeyLine(key)).toBe(line)
    expect(key).toMatchObject({ kind: 'ed25519', bits: 256, comment: 'somebody@somewhere' })
    expect(parseSshKey(rsaKey(2048))).toMatchObject({ kind: 'rsa', bits: 2048 })
  })

  it('has the fingerprints that OpenSSH prints', () => {
    // Printed by ssh-keygen for this key.
    const line = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIozNSBSaPT3MrSeRbD1m9jnKIoRQVbSPbnbHUHri0Sk somebody'
    expect(fingerprintsOf(parseSshKey(line)!.blob)).toEqual({
      md5: '0f:32:9c:a0:8d:45:2a:71:8b:b3:0f:8a:16:0b:75:8a',
      sha256: 'SHA256:5AKY7KeTXPWK8B5k9O2P1ausXWcbzJmBlctQdVMjJ1c',
    })
  })
})

describe('a signature by a security token', () => {
  it('is valid when the token was touched', () => {
    const { type, key, signed } = securityToken()
    const { bare, tail } = signed(1)
    const whole = Buffer.concat([wire(type, bare), tail])
    expect(isSshSignatureValid(key, whole, DATA)).toBe(true)
    expect(isSshSignatureValid(key, whole, Buffer.from('Something else'))).toBe(false)
    const proof = { key: { algo: type, data: key.blob }, signature: Buffer.concat([bare, tail]), blob: DATA }
    expect(isProofValid(proof)).toBe(true)
    expect(isProofValid({ ...proof, blob: Buffer.from('Something else') })).toBe(false)
    expect(isProofValid({ ...proof, signature: tail })).toBe(false)
  })

  it('is invalid when the token was not touched', () => {
    const { type, key, signed } = securityToken()
    const { bare, tail } = signed(0)
    expect(isSshSignatureValid(key, Buffer.concat([wire(type, bare), tail]), DATA)).toBe(false)
  })
})

describe('an RSA signature', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = parseSshKey(lineOf(publicKey))!

  it('is valid with SHA-2, but not with SHA-1', () => {
    const made = (name: string, hash: string) => wire(name, sign(hash, DATA, privateKey))
    expect(isSshSignatureValid(key, made('rsa-sha2-256', 'sha256'), DATA)).toBe(true)
    expect(isSshSignatureValid(key, made('rsa-sha2-512', 'sha512'), DATA)).toBe(true)
    expect(isSshSignatureValid(key, made('ssh-rsa', 'sha1'), DATA)).toBe(false)
    expect(isSshSignatureValid(key, made('rsa-sha2-256', 'sha1'), DATA)).toBe(false)
    const proof = { key: { algo: 'ssh-rsa', data: key.blob }, blob: DATA }
    expect(isProofValid({ ...proof, hashAlgo: 'sha256', signature: sign('sha256', DATA, privateKey) })).toBe(
      true,
    )
    expect(isProofValid({ ...proof, signature: sign('sha1', DATA, privateKey) })).toBe(false)
  })

  it('is undefined for other data', () => {
    for (const bad of [Buffer.alloc(0), Buffer.from([0, 0, 0, 200, 1]), wire('rsa-sha2-256'), wire('', '')])
      expect(isSshSignatureValid(key, bad, DATA)).toBe(false)
    for (const text of ['', '-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----'])
      expect(parseFileSignature(text)).toBeUndefined()
  })
})
