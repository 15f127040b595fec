import {
  closeSync,
  existsSync,
  fsync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { errorCode } from './error-code.ts'

/**
 * A rename survives a power cut only if the file's content was synced before and its folder is synced afterwards. Only
 * this file does that.
 */

/** Error codes of file systems that cannot sync folders. These errors are ignored. */
const IGNORED_FOR_FOLDERS = ['EINVAL', 'ENOTSUP', 'EISDIR', 'ENOSYS']

/** Waits until the content of a file is on the disk. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Waits until the entries of a folder are on the disk. Windows does not support it and does not need it. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync().catch(ignoreForFolders)
  } finally {
    await handle.close()
  }
}

/** Like syncFolder, but synchronously. */
export function syncFolderNow(path: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } catch (error) {
    ignoreForFolders(error)
  } finally {
    closeSync(fd)
  }
}

const fsyncLater = promisify(fsync)

/**
 * Creates a small file; resolves once its content is on the disk. Throws if the file exists. Only the sync runs outside
 * the main thread: on a busy instance, waiting for a thread takes longer than each other step.
 */
export async function createSynced(path: string, content: string | Buffer, mode: number): Promise<void> {
  const fd = openSync(path, 'wx', mode)
  try {
    writeAll(fd, content)
    await fsyncLater(fd)
  } finally {
    closeSync(fd)
  }
}

function writeAll(fd: number, content: string | Buffer): void {
  const bytes = Buffer.from(content as string)
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at)
}

/** Creates a folder and its parents for the owner alone, synced to the disk. */
export async function createDurableFolder(path: string): Promise<void> {
  const first = await createFolders(path)
  if (first === undefined) return
  for (let folder = path; ; folder = dirname(folder)) {
    await syncFolder(dirname(folder))
    if (folder === first || dirname(folder) === folder) return
  }
}

/** Creates a folder and its parents. Returns the first created one. */
async function createFolders(path: string): Promise<string | undefined> {
  const options = { recursive: true, mode: 0o700 } as const
  try {
    return await mkdir(path, options)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    // With `recursive`, Node hides a used up quota behind this code. Without it, the error is the real one.
    let missing = path
    while (!existsSync(dirname(missing))) missing = dirname(missing)
    await mkdir(missing, { mode: 0o700 })
    await mkdir(path, options)
    return missing
  }
}

/**
 * Moves a file to a path. Readers see the old or the new file, never an incomplete one, and the new file is synced to the
 * disk. A missing folder is created. A file on another disk is copied first.
 */
export async function moveDurably(from: string, to: string): Promise<void> {
  await createDurableFolder(dirname(to))
  await syncFile(from)
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await copyAcross(from, to)
  }
  await syncFolder(dirname(to))
}

/** Like `moveDurably`, but copies the file; the original stays. */
export async function copyDurably(from: string, to: string): Promise<void> {
  await createDurableFolder(dirname(to))
  await copyInto(from, to)
  await syncFolder(dirname(to))
}

async function copyAcross(from: string, to: string): Promise<void> {
  await copyInto(from, to)
  await rm(from, { force: true })
}

async function copyInto(from: string, to: string): Promise<void> {
  const draft = `${to}.part`
  try {
    await copyFile(from, draft)
    await syncFile(draft)
    await rename(draft, to)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/**
 * Renames synchronously, for transactions, and syncs the folder. The caller syncs the content before the transaction,
 * because a large file would block the event loop.
 */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to)
  syncFolderNow(dirname(to))
}

/** Writes a small file completely or not at all, and syncs it to the disk. */
export function writeDurably(path: string, content: string | Buffer): void {
  const draft = `${path}.part`
  try {
    const fd = openSync(draft, 'w', 0o600)
    try {
      writeAll(fd, content)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameDurably(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Like `createDurableFolder`, but synchronously. */
export function createDurableFolderNow(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let folder = path; ; folder = dirname(folder)) {
    syncFolderNow(dirname(folder))
    if (folder === first || dirname(folder) === folder) return
  }
}

/** Waits until everything below a folder is on the disk; symbolic links are not followed. */
export function syncTreeNow(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) syncTreeNow(path)
    else if (entry.isFile()) syncFileNow(path)
  }
  syncFolderNow(folder)
}

/** Waits until the content of a file is on the disk. */
export function syncFileNow(path: string): void {
  const fd = openSync(path, 'r+')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function ignoreForFolders(error: unknown): void {
  if (!IGNORED_FOR_FOLDERS.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
}
