import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

import { settingsOf } from '../../settings/index.ts'
import { unpackArchive, ArchiveProblem } from '../archive/unpack.ts'
import type { EntityRun } from './work.ts'
import { apiPathOf, SourceProblem } from './source.ts'
import { fetchAll, remoteHead } from '../../../git/transport/fetch-all.ts'
import { fillWiki, type WikiOwner } from '../../wikis/index.ts'

const MEGABYTE = 1024 * 1024
const EMPTY = 'The archive is empty.'
const TOO_LARGE = 'A file of the other instance is too large when it is unpacked.'

/** Downloads the packed file of a relation. Throws SourceProblem. */
export async function fetchRelation(run: EntityRun, relation: string, folder: string): Promise<string> {
  const file = join(folder, `${relation}.gz`)
  const { bulk_import_max_download_file_size: max } = settingsOf(run.acting)
  const path = `${apiPathOf(run.row)}/export_relations/download?relation=${encodeURIComponent(relation)}`
  await run.source.download(path, file, max * MEGABYTE)
  return file
}

/** Downloads the records of a relation into a file. Throws SourceProblem. */
export async function fetchRecords(
  run: EntityRun,
  relation: string,
  folder: string,
  target: string,
): Promise<void> {
  const packed = await fetchRelation(run, relation, folder)
  const most = settingsOf(run.acting).max_decompressed_archive_size * MEGABYTE
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
      signal: run.signal,
    })
  } catch (error) {
    await rm(target, { force: true })
    run.signal.throwIfAborted()
    if (error instanceof SourceProblem) throw error
    throw new SourceProblem('A file of the other instance is damaged.')
  } finally {
    await rm(packed, { force: true })
  }
}

/** Downloads the files of a relation into a new folder. Throws SourceProblem and ArchiveProblem. */
export async function fetchFiles(
  run: EntityRun,
  relation: string,
  folder: string,
  target: string,
): Promise<void> {
  const packed = await fetchRelation(run, relation, folder)
  const { max_decompressed_archive_size, decompress_archive_file_timeout } = settingsOf(run.acting)
  const limits = {
    maxBytes: max_decompressed_archive_size * MEGABYTE,
    timeoutMs: decompress_archive_file_timeout * 1000,
  }
  try {
    await unpackArchive(packed, target, limits, { signal: run.signal })
  } catch (error) {
    // The other instance has no file of that kind.
    if (!(error instanceof ArchiveProblem) || error.message !== EMPTY) throw error
    await mkdir(target)
  }
  await rm(packed, { force: true })
}

/** Copies the pages of a wiki, if there are any. */
export async function takeWiki(run: EntityRun, owner: WikiOwner): Promise<void> {
  if (!(await hasPages(run))) return
  const { source, signal } = run
  const url = `${source.url}/${run.row.source_full_path}.wiki.git`
  const address = await run.acting.outbound.addressOfUrl(url)
  const remote = { url, authorization: source.authorization, address }
  await fillWiki(run.now(), owner, async (repo) => {
    await fetchAll(repo, remote, { signal })
    return { head: await remoteHead(repo, remote, { signal }) }
  })
}

/** Instances without group wikis do not have this endpoint. */
async function hasPages(run: EntityRun): Promise<boolean> {
  try {
    return (await run.source.list(`${apiPathOf(run.row)}/wikis`)).length > 0
  } catch (error) {
    if (error instanceof SourceProblem && [403, 404].includes(error.status)) return false
    throw error
  }
}
