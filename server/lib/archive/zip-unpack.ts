import { mkdir, open, realpath, rm, symlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

import { openPromise, type Entry, type ZipFile } from 'yauzl'

const LINK = 0o120000
const FILE_TYPE_MASK = 0o170000
const MAX_LINK_LENGTH = 4096

/** Files up to this size in bytes are written in one step. */
const SMALL = 256 * 1024

/** Unpacks an archive into a folder and returns the number of entries. Throws for paths outside of it, also by links. */
export async function unpack(archive: string, folder: string): Promise<number> {
  const zip = await openPromise(archive, { lazyEntries: true, strictFileNames: false })
  const target = { zip, root: await realpath(folder), checkedFolders: new Set<string>() }
  let count = 0
  try {
    for await (const entry of zip.eachEntry()) {
      await unpackEntry(target, entry)
      count++
    }
    return count
  } finally {
    zip.close()
  }
}

interface Target {
  readonly zip: ZipFile
  readonly root: string
  /** Folders that were checked to be inside of the root. The set is cleared whenever a link is created. */
  readonly checkedFolders: Set<string>
}

async function unpackEntry(target: Target, entry: Entry): Promise<void> {
  const { zip, root, checkedFolders } = target
  const path = join(root, entry.fileName)
  checkInside(root, path, entry.fileName)
  const isFolder = entry.fileName.endsWith('/')
  await createFolder(target, isFolder ? path : dirname(path), entry.fileName)
  if (isFolder) return
  const mode = entry.externalFileAttributes >>> 16
  const stream = await zip.openReadStreamPromise(entry)
  if ((mode & FILE_TYPE_MASK) !== LINK) return write(path, stream, { size: entry.uncompressedSize, mode })
  if (entry.uncompressedSize > MAX_LINK_LENGTH) throw new Error(`${entry.fileName} is no link.`)
  await rm(path, { force: true, recursive: true })
  await symlink((await buffer(stream)).toString(), path)
  checkedFolders.clear()
}

/** Creates a folder and checks that no link leads outside. */
async function createFolder({ root, checkedFolders }: Target, folder: string, name: string): Promise<void> {
  if (checkedFolders.has(folder)) return
  await mkdir(folder, { recursive: true })
  checkInside(root, await realpath(folder), name)
  checkedFolders.add(folder)
}

/** Writes a file, replacing an existing one. A link is replaced, not followed. */
async function write(
  path: string,
  content: Readable,
  { size, mode }: { size: number; mode: number },
): Promise<void> {
  const bits = (mode & 0o777) === 0 ? 0o644 : (mode & 0o777) | 0o600
  const file = await open(path, 'wx', bits).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    await rm(path, { force: true, recursive: true })
    return open(path, 'wx', bits)
  })
  if (size > SMALL) return pipeline(content, file.createWriteStream())
  try {
    await file.writeFile(await buffer(content))
  } finally {
    await file.close()
  }
}

function checkInside(root: string, path: string, name: string): void {
  const relativePath = relative(root, path)
  if (
    relativePath === '..' ||
    relativePath.startsWith('../') ||
    relativePath.startsWith('..\\') ||
    isAbsolute(relativePath)
  )
    throw new Error(`${name} is outside of the project.`)
}
