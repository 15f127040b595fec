import { constants } from 'node:fs'
import { lstat, open, readlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, pipeline } from 'node:stream'
import { createGzip } from 'node:zlib'
import { ZipFile } from 'yazl'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/**
 * Opens a file of a job. Returns undefined if it is not a regular file or no longer exists. It never follows links and
 * never opens a pipe, because that would block one of the few threads with which the instance reads files.
 */
async function openRegular(path: string): Promise<FileHandle | undefined> {
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (!handle) return undefined
  const stat = await handle.stat()
  if (stat.isFile()) return handle
  await handle.close()
  return undefined
}

const LINK_MODE = 0o120777
/** Files up to this many bytes are read into memory, which is many times faster than streams. */
const SMALL = 256 * 1024
const MAX_IN_MEMORY = 16 * 1024 * 1024

/** Compression levels by the names that job variables use. */
const LEVELS: Readonly<Record<string, number>> = { fastest: 1, fast: 3, default: 6, slow: 8, slowest: 9 }

/**
 * Streams files of a folder as a zip archive with their modes. Links stay links. Files that are deleted in the meantime
 * are omitted.
 */
export function zipOf(folder: string, files: readonly string[], effort = 'default'): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error: Error) => output.destroy(error))
  void addAll(zip, { folder, files, compressionLevel: LEVELS[effort] ?? 6 }).catch((error: Error) =>
    output.destroy(error),
  )
  return output
}

interface ZipInput {
  readonly folder: string
  readonly files: readonly string[]
  readonly compressionLevel: number
}

async function addAll(zip: ZipFile, { folder, files, compressionLevel }: ZipInput): Promise<void> {
  let inMemory = 0
  for (const name of files) {
    const path = join(folder, name)
    const stat = await lstat(path).catch(() => undefined)
    if (!stat) continue
    const { mode, mtime, size } = stat
    if (stat.isSymbolicLink()) {
      const link = { mode: LINK_MODE, mtime, compress: false }
      zip.addBuffer(Buffer.from(await readlink(path)), name, link)
    } else if (!stat.isFile()) {
      continue
    } else if (size <= SMALL && inMemory + size <= MAX_IN_MEMORY) {
      const content = await readRegular(path)
      if (!content) continue
      zip.addBuffer(content, name, { mode, mtime, compressionLevel })
      inMemory += size
    } else {
      await addStream(zip, path, { name, mode, mtime, size, compressionLevel })
      inMemory = 0
    }
  }
  zip.end()
}

async function readRegular(path: string): Promise<Buffer | undefined> {
  const handle = await openRegular(path)
  try {
    return await handle?.readFile()
  } finally {
    await handle?.close()
  }
}

interface StreamEntry {
  readonly name: string
  readonly mode: number
  readonly mtime: Date
  readonly size: number
  readonly compressionLevel: number
}

/** Adds a file that is read as a stream. Resolves when all earlier files are written. */
function addStream(zip: ZipFile, path: string, { name, ...options }: StreamEntry): Promise<void> {
  return new Promise((resolve) => {
    zip.addReadStreamLazy(name, options, (give) => {
      openRegular(path).then(
        (handle) =>
          handle ? give(null, handle.createReadStream()) : zip.emit('error', new FileDeleted(name)),
        (error: Error) => zip.emit('error', error),
      )
      resolve()
    })
  })
}

/** The error for a large file that was deleted after its header was written. */
class FileDeleted extends Error {
  constructor(name: string) {
    super(`${name} was deleted while it was packed.`)
  }
}

/** Streams files of a folder as consecutive gzip members, the format of reports. Only regular files are included. */
export function gzipOf(folder: string, files: readonly string[]): Readable {
  async function* members(): AsyncGenerator<Buffer> {
    for (const name of files) {
      const handle = await openRegular(join(folder, name))
      // The last stream passes the errors of all streams to its reader.
      if (handle)
        yield* pipeline(handle.createReadStream(), createGzip(), () => undefined) as AsyncIterable<Buffer>
    }
  }
  return Readable.from(members())
}

/** Streams one file unchanged. The stream is empty if it is not a regular file. */
export function bytesOf(path: string): Readable {
  async function* chunks(): AsyncGenerator<Buffer> {
    const handle = await openRegular(path)
    if (handle) yield* handle.createReadStream() as AsyncIterable<Buffer>
  }
  return Readable.from(chunks())
}
