import { open, type FileHandle } from 'node:fs/promises'
import { pipeline, Readable, Transform } from 'node:stream'
import { createInflateRaw } from 'node:zlib'

import type { Ctx } from '../../../ctx.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { pathOf, type FileLocation } from './content.ts'
import type { ArchiveFile } from './archive.ts'

const [STORED, DEFLATED] = [0, 8]
const LOCAL_HEADER = 30
const SIGNATURE = 0x04034b50
const MB = 1024 * 1024

/** From this size on a file that is packed so tightly is taken for one that is there to keep machines busy. */
const SUSPICIOUS = 100 * MB
const TIGHTLY = 250

/** Why a file of an archive cannot be given; undefined where it can. */
function problemOf(file: ArchiveFile): string | undefined {
  if (file.isEncrypted) return 'The file is encrypted'
  if (file.method !== STORED && file.method !== DEFLATED) return 'The file is packed in an unknown way'
  if (file.method === STORED && file.size !== file.packed) return 'The archive is broken'
  if (file.size > SUSPICIOUS && file.size > file.packed * TIGHTLY) return 'The file is packed too tightly'
  return undefined
}

/**
 * One file out of a stored archive, as a stream that ends with an error when the file is longer or shorter than the archive
 * says. Throws 404 where the archive is gone, 400 for a file that cannot be given.
 */
export async function openFile(
  ctx: Pick<Ctx, 'config'>,
  location: FileLocation,
  file: ArchiveFile,
): Promise<Readable> {
  const problem = problemOf(file)
  if (problem) throw fail('bad_request', `400 Bad request - ${problem}`)
  const handle = await open(pathOf(ctx, location)).catch(() => undefined)
  if (!handle) throw notFound()
  try {
    const start = await dataStart(handle, file)
    if (start === undefined) throw fail('bad_request', '400 Bad request - The archive is broken')
    if (file.packed === 0) return await emptyFile(handle, file)
    const packed = handle.createReadStream({ start, end: start + file.packed - 1 })
    const meter = exactly(file.size)
    // Whatever goes wrong ends the last stream; whoever reads it hears of it there.
    if (file.method === STORED) return pipeline(packed, meter, () => undefined)
    return pipeline(packed, createInflateRaw(), meter, () => undefined)
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function emptyFile(handle: FileHandle, file: ArchiveFile): Promise<Readable> {
  if (file.size > 0) throw fail('bad_request', '400 Bad request - The archive is broken')
  await handle.close()
  return Readable.from([])
}

/** Where the bytes of a file begin: behind its own header, which may be longer than the directory says. */
async function dataStart(handle: FileHandle, file: ArchiveFile): Promise<number | undefined> {
  const { size } = await handle.stat()
  if (!Number.isSafeInteger(file.offset) || file.offset + LOCAL_HEADER > size) return undefined
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(LOCAL_HEADER), 0, LOCAL_HEADER, file.offset)
  if (bytesRead < LOCAL_HEADER || buffer.readUInt32LE(0) !== SIGNATURE) return undefined
  const start = file.offset + LOCAL_HEADER + buffer.readUInt16LE(26) + buffer.readUInt16LE(28)
  return start + file.packed <= size ? start : undefined
}

/** Lets through so many bytes, no more and no fewer. */
function exactly(size: number): Transform {
  let left = size
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length
      if (left < 0) done(new Error('A file of an archive is longer than the archive says.'))
      else done(null, chunk)
    },
    flush(done) {
      done(left === 0 ? null : new Error('A file of an archive is shorter than the archive says.'))
    },
  })
}
