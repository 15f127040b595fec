import type { Dirent } from 'node:fs'
import { readdir, stat, rmdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The maximum number of attempts to list a folder. */
const ATTEMPTS = 20

/**
 * Lists everything below a folder; `undefined` if the folder does not exist. Git removes folders that packing emptied. If
 * a folder disappears while it is listed, the listing starts again, because a list without that folder would look complete.
 */
export async function entriesBelow(folder: string): Promise<Dirent[] | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await readdir(folder, { recursive: true, withFileTypes: true })
    } catch (error) {
      if (!isMissing(error)) throw error
      if (!(await exists(folder))) return undefined
      if (attempt === ATTEMPTS)
        throw new Error('The folder kept changing while it was read.', { cause: error })
    }
  }
}

async function exists(folder: string): Promise<boolean> {
  return stat(folder).then(
    (stats) => stats.isDirectory(),
    (error: unknown) => {
      if (isMissing(error)) return false
      throw error
    },
  )
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** The owner ids with a folder below `root`, also of deleted owners. */
export async function ownerFolders(root: string): Promise<number[]> {
  const names = await readdir(root).catch(() => [])
  return names.filter((name) => /^\d{1,15}$/.test(name)).map(Number)
}

/** Names in a folder that were written before a moment (ISO 8601); none if there is no folder. */
export async function namesWrittenBefore(folder: string, moment: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const oldNames: string[] = []
  for (const name of names) {
    const stats = await stat(join(folder, name)).catch(() => undefined)
    if (stats && stats.mtimeMs < Date.parse(moment)) oldNames.push(name)
  }
  return oldNames
}

/** Removes a folder if nothing is in it. */
export async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined)
}
