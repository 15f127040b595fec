import { createWriteStream } from 'node:fs'
import { chmod, mkdir, realpath, rm, symlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

import { openPromise, type Entry, type ZipFile } from 'yauzl'

const LINK = 0o120000
const KIND = 0o170000
const LONGEST_LINK = 4096

/** Unpacks an archive into a folder. Names that lead elsewhere, also by way of links, are refused with an error. */
export async function unpack(archive: string, folder: string): Promise<number> {
  const zip = await openPromise(archive, { lazyEntries: true, strictFileNames: false })
  const root = await realpath(folder)
  let count = 0
  try {
    for await (const entry of zip.eachEntry()) {
      await place(zip, entry, root)
      count++
    }
    return count
  } finally {
    zip.close()
  }
}

async function place(zip: ZipFile, entry: Entry, root: string): Promise<void> {
  const path = join(root, entry.fileName)
  insistInside(root, path, entry.fileName)
  const isFolder = entry.fileName.endsWith('/')
  await mkdir(isFolder ? path : dirname(path), { recursive: true })
  insistInside(root, await realpath(isFolder ? path : dirname(path)), entry.fileName)
  if (isFolder) return
  const mode = entry.externalFileAttributes >>> 16
  await rm(path, { force: true, recursive: true })
  const stream = await zip.openReadStreamPromise(entry)
  if ((mode & KIND) === LINK) {
    if (entry.uncompressedSize > LONGEST_LINK) throw new Error(`${entry.fileName} is no link.`)
    await symlink((await buffer(stream)).toString(), path)
    return
  }
  await pipeline(stream, createWriteStream(path, { mode: 0o644 }))
  if ((mode & 0o777) !== 0) await chmod(path, (mode & 0o777) | 0o600)
}

function insistInside(root: string, path: string, name: string): void {
  const way = relative(root, path)
  if (way === '..' || way.startsWith('../') || way.startsWith('..\\') || isAbsolute(way))
    throw new Error(`${name} leads out of the project.`)
}
