import {
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  utimesSync,
  type Dirent,
} from 'node:fs'
import { join } from 'node:path'

/** Folders of the data folder with files that rows refer to. Such a file never changes, so a hard link preserves it. */
const FOLDERS = ['uploads', 'secure_files', 'artifacts', 'lfs', 'imports', 'exports'] as const
/** Error codes of a file system without hard links, or for links between two file systems. */
const NO_LINKS = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP', 'EMLINK', 'EINVAL'])

/** Links all files that rows refer to into the snapshot. Returns their number. */
export function saveFiles(dataDir: string, target: string): number {
  return FOLDERS.reduce((sum, name) => sum + linkTree(join(dataDir, name), join(target, name)), 0)
}

function linkTree(from: string, to: string): number {
  const entries = entriesOf(from)
  if (!entries) return 0
  mkdirSync(to, { recursive: true, mode: 0o700 })
  let count = 0
  for (const { name, isFolder } of entries) {
    if (isFolder) count += linkTree(join(from, name), join(to, name))
    else {
      link(join(from, name), join(to, name))
      count++
    }
  }
  return count
}

/** Restores the files of the snapshot in the data folder: links missing and different files, removes new ones. */
export function restoreFiles(dataDir: string, snapshotDir: string): void {
  for (const name of FOLDERS) restoreTree(join(snapshotDir, name), join(dataDir, name))
}

function restoreTree(from: string, to: string): void {
  const entries = entriesOf(from)
  if (!entries) return rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true, mode: 0o700 })
  const names = new Set(entries.map(({ name }) => name))
  for (const { name } of entriesOf(to) ?? [])
    if (!names.has(name)) rmSync(join(to, name), { recursive: true, force: true })
  for (const { name, isFolder } of entries) {
    const [source, target] = [join(from, name), join(to, name)]
    if (isFolder) restoreTree(source, target)
    else if (!isSame(source, target)) {
      rmSync(target, { recursive: true, force: true })
      link(source, target)
    }
  }
}

function isSame(first: string, second: string): boolean {
  const [a, b] = [lstatSync(first), lstatSync(second, { throwIfNoEntry: false })]
  if (!b?.isFile()) return false
  return a.ino === b.ino || (a.size === b.size && a.mtimeMs === b.mtimeMs)
}

function link(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
    const { atime, mtime } = lstatSync(from)
    utimesSync(to, atime, mtime)
  }
}

function entriesOf(folder: string): { name: string; isFolder: boolean }[] | undefined {
  try {
    const entries: Dirent[] = readdirSync(folder, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
