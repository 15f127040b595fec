import { constants } from 'node:fs'
import { lstat, open, readlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, pipeline } from 'node:stream'
import { createGzip } from 'node:zlib'
import { ZipFile } from 'yazl'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/**
 * Opens a file that a job left; undefined for what is none (any more). Links are not followed, and pipes not waited for:
 * that would take one of the few threads which the whole instance reads files with, for good.
 */
async function openPlain(path: string): Promise<FileHandle | undefined> {
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (!handle) return undefined
  const stat = await handle.stat()
  if (stat.isFile()) return handle
  await handle.close()
  return undefined
}

const LINK_MODE = 0o120777
/** Small files are read at once, which is many times faster; so many bytes of them wait for their turn at most. */
const SMALL = 256 * 1024
const MOST_IN_MEMORY = 16 * 1024 * 1024

/** How much work goes into making archives small, by the words that variables of jobs have for it. */
const LEVELS: Readonly<Record<string, number>> = { fastest: 1, fast: 3, default: 6, slow: 8, slowest: 9 }

/** Files of a folder as a zip archive, with their modes; links stay links. What vanishes meanwhile is left out. */
export function zipOf(folder: string, files: readonly string[], effort = 'default'): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error: Error) => output.destroy(error))
  void addAll(zip, { folder, files, compressionLevel: LEVELS[effort] ?? 6 }).catch((error: Error) =>
    output.destroy(error),
  )
  return output
}

interface Packing {
  readonly folder: string
  readonly files: readonly string[]
  readonly compressionLevel: number
}

async function addAll(zip: ZipFile, { folder, files, compressionLevel }: Packing): Promise<void> {
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
    } else if (size <= SMALL && inMemory + size <= MOST_IN_MEMORY) {
      const content = await readPlain(path)
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

async function readPlain(path: string): Promise<Buffer | undefined> {
  const handle = await openPlain(path)
  try {
    return await handle?.readFile()
  } finally {
    await handle?.close()
  }
}

interface Streamed {
  readonly name: string
  readonly mode: number
  readonly mtime: Date
  readonly size: number
  readonly compressionLevel: number
}

/** Resolves when all files before were written and it is the turn of this one. */
function addStream(zip: ZipFile, path: string, { name, ...options }: Streamed): Promise<void> {
  return new Promise((resolve) => {
    zip.addReadStreamLazy(name, options, (give) => {
      openPlain(path).then(
        (handle) => (handle ? give(null, handle.createReadStream()) : zip.emit('error', new Gone(name))),
        (error: Error) => zip.emit('error', error),
      )
      resolve()
    })
  })
}

/** A large file vanished after its name was written. */
class Gone extends Error {
  constructor(name: string) {
    super(`${name} is gone.`)
  }
}

/** Files of a folder compressed one after the other, as reports are sent; links, pipes and the like are left out. */
export function gzipOf(folder: string, files: readonly string[]): Readable {
  async function* members(): AsyncGenerator<Buffer> {
    for (const name of files) {
      const handle = await openPlain(join(folder, name))
      // Whatever goes wrong ends the last stream; whoever reads it hears of it there.
      if (handle)
        yield* pipeline(handle.createReadStream(), createGzip(), () => undefined) as AsyncIterable<Buffer>
    }
  }
  return Readable.from(members())
}

/** One file as it is; empty where it is none. */
export function bytesOf(path: string): Readable {
  async function* parts(): AsyncGenerator<Buffer> {
    const handle = await openPlain(path)
    if (handle) yield* handle.createReadStream() as AsyncIterable<Buffer>
  }
  return Readable.from(parts())
}
