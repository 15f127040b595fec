import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'

import { writeDurably } from '../files/durable-file.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** The prefix of sealed values. A later format would have another one. */
export const VERSION = 'v1:'

/** Encrypts a value for a purpose. Nonces are random, because a repeated nonce would reveal the key. */
export function sealWith(key: KeyObject, plain: string | Buffer, purpose: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(purpose))
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/** Decrypts a sealed value; undefined for another key or purpose, or if the value was changed. */
export function openWith(key: KeyObject, sealed: string, purpose: string): Buffer | undefined {
  const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64')
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}

/**
 * The key in a file; undefined if the file does not exist. Throws if the key is damaged. A key object is prepared only
 * once. Bytes would be prepared again for each value, which takes four times as long as decrypting it.
 */
export function readKey(file: string): KeyObject | undefined {
  try {
    const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
    if (key.length !== KEY_BYTES) throw new Error(`The key in ${file} is damaged.`)
    return createSecretKey(key)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Creates a key file, synced to the disk, so that sealed values never outlive it. */
export function createKey(file: string): KeyObject {
  const keyBytes = randomBytes(KEY_BYTES)
  writeDurably(file, `${keyBytes.toString('base64')}\n`)
  return createSecretKey(keyBytes)
}
