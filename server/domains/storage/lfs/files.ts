import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { dataPaths, type Config } from '../../../config.ts'
import { keepFile } from '../../../lib/files/durable-file.ts'
import { objectParts, type Pointer } from '../../../lib/lfs.ts'

/** A file that differs from the announced digest or size. */
export class NotTheObject extends Error {}

/** Path of the LFS object with a digest, whether it exists or not. */
export function lfsFile(config: Pick<Config, 'dataDir'>, oid: string): string {
  return join(dataPaths(config.dataDir).lfs, ...objectParts(oid))
}

/** True for an LFS object that exists with its size. */
export async function isStored(config: Pick<Config, 'dataDir'>, { oid, size }: Pointer): Promise<boolean> {
  const found = await stat(lfsFile(config, oid)).catch(() => undefined)
  return found?.isFile() === true && found.size === size
}

/**
 * Writes a stream to a file and compares digest and size with the announced ones. Throws NotTheObject for a difference, at
 * the first surplus byte, and then leaves no file.
 */
export async function receiveObject(
  stream: Readable,
  file: string,
  { oid, size }: Pointer,
  signal?: AbortSignal,
): Promise<void> {
  const digest = createHash('sha256')
  let length = 0
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length
      if (length > size) return done(new NotTheObject('The file is larger than announced.'))
      digest.update(chunk)
      done(null, chunk)
    },
  })
  try {
    await pipeline(
      [stream, meter, createWriteStream(file, { flags: 'wx', mode: 0o600 })],
      signal ? { signal } : {},
    )
    if (length !== size) throw new NotTheObject('The file is smaller than announced.')
    if (digest.digest('hex') !== oid)
      throw new NotTheObject('The SHA-256 of the file differs from the announced one.')
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}

/** Size of a file with the digest `oid`. Throws NotTheObject for other content. */
export async function checkedSize(file: string, oid: string): Promise<number> {
  const digest = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(file)) {
    size += (chunk as Buffer).length
    digest.update(chunk as Buffer)
  }
  if (digest.digest('hex') !== oid)
    throw new NotTheObject('The content of a large file does not match its name.')
  return size
}

/** Moves a checked file to the path of its digest. When this returns it is on the disk. */
export function keep(config: Pick<Config, 'dataDir'>, file: string, oid: string): Promise<void> {
  return keepFile(file, lfsFile(config, oid))
}
