import { readdir, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

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
