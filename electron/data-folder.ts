import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cp, lstat, readdir, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'

import type { MoveProgress } from './bridge.ts'
import { LaunchError } from './launch.ts'
import { text, type TextKey } from './texts.ts'

/** Remembers the chosen data folder; it stays in the default folder, which can always be found. */
const pointerIn = (defaultDir: string) => join(defaultDir, 'window/data-folder.json')

/** The data folder that a person has chosen, or undefined while it is the default one. */
export function chosenDataDir(defaultDir: string): string | undefined {
  try {
    const { folder } = JSON.parse(readFileSync(pointerIn(defaultDir), 'utf8')) as { folder?: unknown }
    return typeof folder === 'string' && folder !== '' ? resolve(folder) : undefined
  } catch {
    return undefined
  }
}

export function chooseDataDir(defaultDir: string, folder: string): void {
  const file = pointerIn(defaultDir)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ folder: resolve(folder) })}\n`)
}

/** Creates a folder and those above it. Node's own `recursive` reports a read-only disk as a missing folder. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  const above = dirname(folder)
  if (above !== folder) makeFolder(above)
  try {
    mkdirSync(folder)
  } catch (error) {
    // A start at the same moment may have been first.
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
  const known = REASONS[code]
  return known ? text(known) : code
}

/**
 * Prepares the data folder before anything is written to it. Throws a LaunchError with a sentence for the user. A chosen
 * missing folder is never created: its disk may be unplugged, and an empty instance would look like lost data.
 */
export function prepareDataDir(dataDir: string, isChosen: boolean): void {
  if (isChosen && !existsSync(dataDir)) throw new LaunchError(text('folder.missing', { folder: dataDir }))
  try {
    makeFolder(join(dataDir, 'window'))
    writeFileSync(join(dataDir, 'window/.writable'), '')
  } catch (error) {
    throw new LaunchError(text('folder.not_writable', { folder: dataDir, reason: reasonOf(error) }))
  }
}

/** Why a folder cannot become the new home of the data, or undefined where it can. */
export function refusalOf(from: string, to: string): string | undefined {
  const inside = relative(from, to)
  if (inside === '' || !inside.startsWith('..')) return text('folder.inside')
  if (existsSync(to) && readdirSync(to).length > 0) return text('folder.not_empty', { folder: to })
  return undefined
}

/** Files that a disk or a desktop puts into an otherwise empty folder, and those of a start that failed. */
const IGNORED = /^(\..*|lost\+found|System Volume Information|\$RECYCLE\.BIN|desktop\.ini|window)$/i

/** True for a folder with files that have nothing to do with Deskforge; those of an instance would get between them. */
function isForeign(folder: string): boolean {
  try {
    const names = readdirSync(folder).filter((name) => !IGNORED.test(name))
    return names.length > 0 && !names.includes('deskforge.db')
  } catch {
    // The next start shows the reason.
    return false
  }
}

/** Lets the next start use a folder, an empty one or one with data. Returns a sentence if it cannot. */
export function adoptDataDir(defaultDir: string, folder: string): string | undefined {
  if (isForeign(folder)) return text('folder.foreign', { folder })
  try {
    chooseDataDir(defaultDir, folder)
    return undefined
  } catch (error) {
    return text('folder.not_chosen', { folder: defaultDir, reason: reasonOf(error) })
  }
}

/** The size of all files below a folder. */
async function sizeOf(folder: string): Promise<number> {
  let total = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) total += (await stat(join(entry.parentPath, entry.name))).size
  return total
}

/**
 * Copies a data folder that nobody uses any more, and reports the progress. The old folder is left as it is. Chromium's
 * files are not copied: it holds them open, and recreates them.
 */
export async function copyDataDir(
  from: string,
  to: string,
  progressed: (progress: MoveProgress) => void,
): Promise<void> {
  const kept = new Set(['preferences.json', 'state.json'])
  const window = join(from, 'window')
  const totalBytes = await sizeOf(from)
  let copiedBytes = 0
  await cp(from, to, {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
    filter: async (source) => {
      const name = relative(window, source)
      // A folder counts nothing, and a file before it is copied: the sum is right at the next one.
      const { size, isFile } = await lstat(source).then((one) => ({ size: one.size, isFile: one.isFile() }))
      if (isFile) copiedBytes += size
      progressed({ copiedBytes, totalBytes })
      return name === '' || name.startsWith('..') || kept.has(name)
    },
  })
}
