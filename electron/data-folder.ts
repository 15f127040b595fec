import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cp, lstat, readdir, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'

import type { MoveProgress } from './bridge.ts'
import { LaunchError } from './launch.ts'
import { text, type TextKey } from './texts.ts'

/** Returns the file with the path of the chosen data folder. It is in the default folder, which is easy to find. */
const choiceFileIn = (defaultDir: string) => join(defaultDir, 'window/data-folder.json')

/** Returns the data folder that the user chose; undefined for the default folder. */
export function chosenDataDir(defaultDir: string): string | undefined {
  try {
    const { folder } = JSON.parse(readFileSync(choiceFileIn(defaultDir), 'utf8')) as { folder?: unknown }
    return typeof folder === 'string' && folder !== '' ? resolve(folder) : undefined
  } catch {
    return undefined
  }
}

/** Saves the chosen data folder for the next start. */
export function chooseDataDir(defaultDir: string, folder: string): void {
  const file = choiceFileIn(defaultDir)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ folder: resolve(folder) })}\n`)
}

/**
 * Creates a folder and its parents. Node's option `recursive` is not used, because it reports a read-only disk as a
 * missing folder.
 */
function createFolder(folder: string): void {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) createFolder(parent)
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have created the folder in the meantime.
    if (!existsSync(folder)) throw error
  }
}

const REASONS: Readonly<Record<string, TextKey>> = {
  EROFS: 'folder.read_only',
  ENOSPC: 'folder.full',
  EDQUOT: 'folder.quota',
  EACCES: 'folder.forbidden',
  EPERM: 'folder.forbidden',
  ENOTDIR: 'folder.in_the_way',
  EEXIST: 'folder.in_the_way',
}

const reasonOf = (error: unknown): string => {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException
  const key = REASONS[code]
  return key ? text(key) : code
}

/**
 * Prepares the data folder for its first use. Throws a `LaunchError` with a sentence for the user. A missing folder
 * that the user chose is not created: its disk may be disconnected, and an empty instance would look like lost data.
 */
export function prepareDataDir(dataDir: string, isChosen: boolean): void {
  if (isChosen && !existsSync(dataDir)) throw new LaunchError(text('folder.missing', { folder: dataDir }))
  try {
    createFolder(join(dataDir, 'window'))
    writeFileSync(join(dataDir, 'window/.writable'), '')
  } catch (error) {
    throw new LaunchError(text('folder.not_writable', { folder: dataDir, reason: reasonOf(error) }))
  }
}

/** Returns a sentence if the data folder cannot be moved to a folder; undefined if it can. */
export function moveProblem(from: string, to: string): string | undefined {
  const inside = relative(from, to)
  if (inside === '' || !inside.startsWith('..')) return text('folder.inside')
  if (existsSync(to) && readdirSync(to).length > 0) return text('folder.not_empty', { folder: to })
  return undefined
}

/** Files that an operating system creates in an empty folder, and those of a failed start. */
const IGNORED = /^(\..*|lost\+found|System Volume Information|\$RECYCLE\.BIN|desktop\.ini|window)$/i

/** Returns true for a folder with files of other programs. An instance must not mix its files with these. */
function isForeign(folder: string): boolean {
  try {
    const names = readdirSync(folder).filter((name) => !IGNORED.test(name))
    return names.length > 0 && !names.includes('deskforge.db')
  } catch {
    // The folder cannot be read. The next start shows the reason.
    return false
  }
}

/** Chooses an empty folder or one with data for the next start. Returns a sentence if that is impossible. */
export function useDataDir(defaultDir: string, folder: string): string | undefined {
  if (isForeign(folder)) return text('folder.foreign', { folder })
  try {
    chooseDataDir(defaultDir, folder)
    return undefined
  } catch (error) {
    return text('folder.not_chosen', { folder: defaultDir, reason: reasonOf(error) })
  }
}

/** Returns the total size of the files below a folder in bytes. */
async function sizeOf(folder: string): Promise<number> {
  let total = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) total += (await stat(join(entry.parentPath, entry.name))).size
  return total
}

/**
 * Copies a data folder that is no longer in use, and reports the progress. The old folder stays unchanged. Files of
 * Chromium are not copied, because it keeps them open and recreates them.
 */
export async function copyDataDir(
  from: string,
  to: string,
  onProgress: (progress: MoveProgress) => void,
): Promise<void> {
  const windowFiles = new Set(['preferences.json', 'state.json'])
  const window = join(from, 'window')
  const totalBytes = await sizeOf(from)
  let copiedBytes = 0
  await cp(from, to, {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
    filter: async (source) => {
      const name = relative(window, source)
      // A file counts before it is copied. Folders count nothing.
      const { size, isFile } = await lstat(source).then((stats) => ({
        size: stats.size,
        isFile: stats.isFile(),
      }))
      if (isFile) copiedBytes += size
      onProgress({ copiedBytes, totalBytes })
      return name === '' || name.startsWith('..') || windowFiles.has(name)
    },
  })
}
