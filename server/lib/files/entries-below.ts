import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'

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
