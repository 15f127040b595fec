import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'

import { ByteReader } from '../../../lib/archive/byte-reader.ts'
import { BackupProblem } from './format.ts'

/** First bytes of a sealed backup; salt and cost of the key follow. */
export const SEALED = Buffer.from('deskforge-sealed-backup-1\n')

const SALT_BYTES = 16
/** scrypt: N = 2^16, r = 8, p = 1: 64 MB and a fifth of a second for every guess of a passphrase. */
const COST = 16
const PIECE = 64 * 1024
const TAG_BYTES = 16
const HEAD_BYTES = SEALED.length + SALT_BYTES + 1

function keyOf(passphrase: string, salt: Buffer, cost: number): Buffer {
  const options = { N: 2 ** cost, r: 8, p: 1, maxmem: 512 * 1024 * 1024 }
  return scryptSync(passphrase.normalize('NFKC'), salt, 32, options)
}

/** A counter is enough, because each key seals one file; the last byte marks the last piece. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(index, 4, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

/**
 * Seals a stream with a passphrase in pieces (AES-256-GCM, the nonce holds the index). Opening detects pieces that are
 * missing, changed or reordered.
 */
export async function* sealed(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES)
  const head = Buffer.concat([SEALED, salt, Buffer.from([COST])])
  const key = keyOf(passphrase, salt, COST)
  const piece = (plain: Buffer, index: number, isLast: boolean): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(index, isLast)).setAAD(head)
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }
  yield head
  // An empty first piece distinguishes a wrong passphrase from damage.
  yield piece(Buffer.alloc(0), 0, false)
  let index = 1
  for await (const [plain, isLast] of inPieces(source, PIECE)) yield piece(plain, index++, isLast)
}

/** Opens a sealed stream. Throws BackupProblem for a wrong passphrase, and for changed or missing pieces. */
export async function* opened(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const reader = new ByteReader(source)
  const head = await reader.take(HEAD_BYTES)
  const cost = head[HEAD_BYTES - 1]!
  if (head.length < HEAD_BYTES || cost < 10 || cost > 18)
    throw new BackupProblem('The backup is damaged or cut off.')
  const key = keyOf(passphrase, head.subarray(SEALED.length, SEALED.length + SALT_BYTES), cost)
  const open = (sealedPiece: Buffer, index: number, isLast: boolean, sentence: string): Buffer => {
    try {
      const tag = sealedPiece.subarray(sealedPiece.length - TAG_BYTES)
      const plain = sealedPiece.subarray(0, sealedPiece.length - TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(index, isLast))
      decipher.setAAD(head).setAuthTag(tag)
      return Buffer.concat([decipher.update(plain), decipher.final()])
    } catch {
      throw new BackupProblem(sentence)
    }
  }
  open(await reader.take(TAG_BYTES), 0, false, 'The passphrase does not open this backup.')
  for (let index = 1; ; index++) {
    const piece = await reader.take(PIECE + TAG_BYTES)
    const isLast = await reader.isAtEnd()
    yield open(piece, index, isLast, 'The backup is damaged or cut off.')
    if (isLast) return
  }
}

/** A stream in pieces of one size; the last may be shorter, or empty. */
async function* inPieces(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<[Buffer, boolean]> {
  const reader = new ByteReader(source)
  for (;;) {
    const piece = await reader.take(size)
    const isLast = await reader.isAtEnd()
    yield [piece, isLast]
    if (isLast) return
  }
}
