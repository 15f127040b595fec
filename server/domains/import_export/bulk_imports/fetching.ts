import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

import { settingsOf } from '../../settings/index.ts'
import { ArchiveProblem } from '../archive/problem.ts'
import { unpackArchive } from '../archive/unpack.ts'
import type { Desk } from './desk.ts'
import { apiPathOf } from './source-of.ts'
import { SourceProblem } from './source-problem.ts'

const MEGABYTE = 1024 * 1024
const EMPTY = 'The archive is empty.'
const TOO_LARGE = 'A file of the other instance is too large when it is unpacked.'

/** Fetches the file of a relation; it is packed. Throws SourceProblem. */
export async function fetchRelation(desk: Desk, relation: string, folder: string): Promise<string> {
  const file = join(folder, `${relation}.gz`)
  const { bulk_import_max_download_file_size: max } = settingsOf(desk.acting)
  const path = `${apiPathOf(desk.row)}/export_relations/download?relation=${encodeURIComponent(relation)}`
  await desk.source.download(path, file, max * MEGABYTE)
  return file
}

/** Fetches the records of a relation into a file. Throws SourceProblem. */
export async function fetchRecords(
  desk: Desk,
  relation: string,
  folder: string,
  target: string,
): Promise<void> {
  const packed = await fetchRelation(desk, relation, folder)
  const most = settingsOf(desk.acting).max_decompressed_archive_size * MEGABYTE
  let size = 0
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      size += chunk.length
      if (most > 0 && size > most) throw new SourceProblem(TOO_LARGE)
      yield chunk
    }
  }
  try {
    await pipeline(createReadStream(packed), createGunzip(), counted, createWriteStream(target), {
      signal: desk.signal,
    })
  } catch (error) {
    await rm(target, { force: true })
    desk.signal.throwIfAborted()
    if (error instanceof SourceProblem) throw error
    throw new SourceProblem('A file of the other instance is damaged.')
  } finally {
    await rm(packed, { force: true })
  }
}

/** Fetches files of a relation into a folder that is not there yet. Throws SourceProblem and ArchiveProblem. */
export async function fetchFiles(
  desk: Desk,
  relation: string,
  folder: string,
  target: string,
): Promise<void> {
  const packed = await fetchRelation(desk, relation, folder)
  const { max_decompressed_archive_size, decompress_archive_file_timeout } = settingsOf(desk.acting)
  const limits = {
    maxBytes: max_decompressed_archive_size * MEGABYTE,
    timeoutMs: decompress_archive_file_timeout * 1000,
  }
  try {
    await unpackArchive(packed, target, limits, { signal: desk.signal })
  } catch (error) {
    // Where there is no file of that kind.
    if (!(error instanceof ArchiveProblem) || error.message !== EMPTY) throw error
    await mkdir(target)
  }
  await rm(packed, { force: true })
}
