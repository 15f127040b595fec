import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'

import { ByteReader } from '../../../lib/archive/byte-reader.ts'
import { BackupProblem } from './format.ts'

/** The first bytes of a sealed backup. Salt and cost of the key follow. */
export const SEALED_PREFIX = Buffer.from('deskforge-sealed-backup-1\n')

const SALT_BYTES = 16
/** scrypt with N = 2^16, r = 8, p = 1. Each guess of a passphrase costs 64 MB and a fifth of a second. */
const COST = 16
const CHUNK_BYTES = 64 * 1024
const TAG_BYTES = 16
const HEADER_BYTES = SEALED_PREFIX.length + SALT_BYTES + 1

function keyOf(passphrase: string, salt: Buffer, cost: number): Buffer {
  const options = { N: 2 ** cost, r: 8, p: 1, maxmem: 512 * 1024 * 1024 }
  return scryptSync(passphrase.normalize('NFKC'), salt, 32, options)
}

/** The nonce of a chunk. A counter is enough, because each key encrypts one file. The last byte marks the last chunk. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(index, 4, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

/**
 * Encrypts a stream with a passphrase, chunk by chunk (AES-256-GCM, the nonce contains the index). `unseal` detects
 * chunks that are missing, changed or reordered.
 */
export async function* seal(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES)
  const header = Buffer.concat([SEALED_PREFIX, salt, Buffer.from([COST])])
  const key = keyOf(passphrase, salt, COST)
  const sealChunk = (plain: Buffer, index: number, isLast: boolean): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(index, isLast)).setAAD(header)
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }
  yield header
  // An empty first chunk distinguishes a wrong passphrase from damage.
  yield sealChunk(Buffer.alloc(0), 0, false)
  let index = 1
  for await (const [plain, isLast] of chunksOf(source, CHUNK_BYTES)) yield sealChunk(plain, index++, isLast)
}

/** Decrypts a sealed stream. Throws BackupProblem for a wrong passphrase, and for changed or missing chunks. */
export async function* unseal(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const reader = new ByteReader(source)
  const header = await reader.take(HEADER_BYTES)
  const cost = header[HEADER_BYTES - 1]!
  if (header.length < HEADER_BYTES || cost < 10 || cost > 18)
    throw new BackupProblem('The backup is damaged or cut off.')
  const key = keyOf(
    passphrase,
    header.subarray(SEALED_PREFIX.length, SEALED_PREFIX.length + SALT_BYTES),
    cost,
  )
  const open = (sealedChunk: Buffer, index: number, isLast: boolean, sentence: string): Buffer => {
    try {
      const tag = sealedChunk.subarray(sealedChunk.length - TAG_BYTES)
      const plain = sealedChunk.subarray(0, sealedChunk.length - TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(index, isLast))
      decipher.setAAD(header).setAuthTag(tag)
      return Buffer.concat([decipher.update(plain), decipher.final()])
    } catch {
      throw new BackupProblem(sentence)
    }
  }
  open(await reader.take(TAG_BYTES), 0, false, 'The passphrase does not open this backup.')
  for (let index = 1; ; index++) {
    const chunk = await reader.take(CHUNK_BYTES + TAG_BYTES)
    const isLast = await reader.isAtEnd()
    yield open(chunk, index, isLast, 'The backup is damaged or cut off.')
    if (isLast) return
  }
}

/** Splits a stream into chunks of one size. The last chunk may be shorter or empty. */
async function* chunksOf(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<[Buffer, boolean]> {
  const reader = new ByteReader(source)
  for (;;) {
    const chunk = await reader.take(size)
    const isLast = await reader.isAtEnd()
    yield [chunk, isLast]
    if (isLast) return
  }
}
