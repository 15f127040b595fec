import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'

import { LaunchError } from './launch.ts'

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

const REASONS: Readonly<Record<string, string>> = {
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'your disk quota is used up',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  ENOTDIR: 'a file is in its way',
  EEXIST: 'a file is in its way',
}

/**
 * Prepares the data folder before anything is written to it. Throws a LaunchError with a sentence for the user. A chosen
 * missing folder is never created: its disk may be unplugged, and an empty instance would look like lost data.
 */
export function prepareDataDir(dataDir: string, isChosen: boolean): void {
  if (isChosen && !existsSync(dataDir))
    throw new LaunchError(
      `The data folder ${dataDir} is not there. Connect its disk, or choose another folder.`,
    )
  try {
    makeFolder(join(dataDir, 'window'))
    writeFileSync(join(dataDir, 'window/.writable'), '')
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    throw new LaunchError(`The data folder ${dataDir} cannot be written to: ${REASONS[code] ?? code}.`)
  }
}

/** Why a folder cannot become the new home of the data, or undefined where it can. */
export function refusalOf(from: string, to: string): string | undefined {
  const inside = relative(from, to)
  if (inside === '' || !inside.startsWith('..'))
    return 'The new folder must not be the present one or be inside it.'
  if (existsSync(to) && readdirSync(to).length > 0) return `The folder ${to} is not empty.`
  return undefined
}

/**
 * Copies a data folder that nobody uses any more. The old folder is left as it is. Chromium's files are not copied: it holds
 * them open, and recreates them.
 */
export async function copyDataDir(from: string, to: string): Promise<void> {
  const kept = new Set(['preferences.json', 'state.json'])
  const window = join(from, 'window')
  await cp(from, to, {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
    filter: (source) => {
      const name = relative(window, source)
      return name === '' || name.startsWith('..') || kept.has(name)
    },
  })
}
