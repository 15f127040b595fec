import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync, statSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'

import { CHECKSUMS, BackupProblem } from './format.ts'
import { seal } from './seal.ts'
import { tarHeader, tarPadding, TAR_END, type TarEntry } from '../../../lib/archive/tar-writer.ts'

/** An entry and the source of its content. */
export interface EntrySource {
  readonly entry: TarEntry
  readonly content: { readonly file: string } | { readonly bytes: Buffer }
}

/** The target and options of an archive. */
export interface ArchiveTarget {
  readonly file: string
  readonly passphrase?: string | undefined
  /** A temporary file for the list of checksums; the caller removes it. */
  readonly spool: string
  /** Called with the number of bytes of entries as they are written. */
  readonly onBytes: (bytes: number) => void
}

const CHUNK = 256 * 1024
/** A fast compression level, because most content is already compressed. */
const LEVEL = 3

/**
 * Writes an archive with all checksums at its end. Returns its size and digest. Reads files synchronously and one at a
 * time, so it runs in a worker thread.
 */
export async function writeArchive(
  sources: Iterable<EntrySource>,
  target: ArchiveTarget,
): Promise<{ size: number; sha256: string }> {
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 }
  const hash = createHash('sha256')
  let size = 0
  const handle = await open(target.file, 'wx', 0o600)
  try {
    await pipeline(
      () => joinChunks(archiveChunks(sources, target)),
      createZstdCompress({ params, chunkSize: CHUNK }),
      (chunks: AsyncIterable<Buffer>) =>
        target.passphrase === undefined ? chunks : seal(chunks, target.passphrase),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) {
          await handle.writeFile(chunk)
          hash.update(chunk)
          size += chunk.length
        }
      },
    )
    await handle.sync()
  } finally {
    await handle.close()
  }
  return { size, sha256: hash.digest('hex') }
}

function* archiveChunks(sources: Iterable<EntrySource>, target: ArchiveTarget): Generator<Buffer> {
  const spool = openSync(target.spool, 'w', 0o600)
  let lines: string[] = []
  let count = 0
  let bytes = 0
  const flush = (): void => {
    writeSync(spool, lines.join(''))
    lines = []
  }
  try {
    for (const { entry, content } of sources) {
      const hash = createHash('sha256')
      yield tarHeader(entry)
      for (const chunk of chunksOf(content, entry)) {
        hash.update(chunk)
        yield chunk
        target.onBytes(chunk.length)
      }
      yield tarPadding(entry.size)
      count += 1
      bytes += entry.size
      lines.push(`${hash.digest('hex')} ${entry.name}\n`)
      if (lines.length > 1000) flush()
    }
    lines.push(`end ${count} ${bytes}\n`)
    flush()
  } finally {
    closeSync(spool)
  }
  const { size } = statSync(target.spool)
  yield tarHeader({ name: CHECKSUMS, size, mode: 0o600, mtime: 0 })
  yield* chunksOf({ file: target.spool }, { name: CHECKSUMS, size })
  yield tarPadding(size)
  yield TAR_END
}

/** The content of an entry in chunks. Throws if it has another size than its header. */
function* chunksOf(
  content: EntrySource['content'],
  { name, size }: Pick<TarEntry, 'name' | 'size'>,
): Generator<Buffer> {
  if ('bytes' in content || size <= CHUNK) {
    const bytes =
      'bytes' in content ? content.bytes : size === 0 ? Buffer.alloc(0) : readFileSync(content.file)
    if (bytes.length !== size) throw changedFile(name)
    if (size > 0) yield bytes
    return
  }
  const fd = openSync(content.file, 'r')
  try {
    for (let remaining = size; remaining > 0;) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, remaining))
      const read = readSync(fd, chunk, 0, chunk.length, null)
      if (read === 0) throw changedFile(name)
      remaining -= read
      yield chunk.subarray(0, read)
    }
  } finally {
    closeSync(fd)
  }
}

function changedFile(name: string): BackupProblem {
  return new BackupProblem(`The file ${name} was changed while it was read.`)
}

/** Joins small chunks, because each chunk has a fixed cost in the pipeline. */
function* joinChunks(chunks: Iterable<Buffer>): Generator<Buffer> {
  let pending: Buffer[] = []
  let bytes = 0
  for (const chunk of chunks) {
    pending.push(chunk)
    bytes += chunk.length
    if (bytes < CHUNK) continue
    yield Buffer.concat(pending)
    pending = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(pending)
}
