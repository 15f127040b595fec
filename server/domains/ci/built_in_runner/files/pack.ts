import { createReadStream } from 'node:fs'
import { lstat, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'

import { ZipFile } from 'yazl'

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
    } else if (size <= SMALL && inMemory + size <= MOST_IN_MEMORY) {
      zip.addBuffer(await readFile(path), name, { mode, mtime, compressionLevel })
      inMemory += size
    } else {
      await addStream(zip, path, { name, mode, mtime, size, compressionLevel })
      inMemory = 0
    }
  }
  zip.end()
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
      give(null, createReadStream(path))
      resolve()
    })
  })
}

/** Files of a folder compressed one after the other, as reports are sent. */
export function gzipOf(folder: string, files: readonly string[]): Readable {
  async function* members(): AsyncGenerator<Buffer> {
    for (const name of files)
      yield* createReadStream(join(folder, name)).pipe(createGzip()) as AsyncIterable<Buffer>
  }
  return Readable.from(members())
}
