import { createReadStream } from 'node:fs'
import { lstat, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'

import { ZipFile } from 'yazl'

const LINK_MODE = 0o120777

/** Files of a folder as a zip archive, with their modes; links stay links. What vanishes meanwhile is left out. */
export function zipOf(folder: string, files: readonly string[]): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error: Error) => output.destroy(error))
  void addAll(zip, folder, files).catch((error: Error) => output.destroy(error))
  return output
}

async function addAll(zip: ZipFile, folder: string, files: readonly string[]): Promise<void> {
  for (const name of files) {
    const path = join(folder, name)
    const stat = await lstat(path).catch(() => undefined)
    if (stat?.isFile()) zip.addFile(path, name, { mode: stat.mode, mtime: stat.mtime })
    else if (stat?.isSymbolicLink())
      zip.addBuffer(Buffer.from(await readlink(path)), name, {
        mode: LINK_MODE,
        mtime: stat.mtime,
        compress: false,
      })
  }
  zip.end()
}

/** Files of a folder compressed one after the other, as reports are sent. */
export function gzipOf(folder: string, files: readonly string[]): Readable {
  async function* members(): AsyncGenerator<Buffer> {
    for (const name of files)
      yield* createReadStream(join(folder, name)).pipe(createGzip()) as AsyncIterable<Buffer>
  }
  return Readable.from(members())
}
