import { mkdir, readdir, realpath, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { invalid } from '../../../lib/fail.ts'
import { storagesOf } from './storages.ts'

/**
 * Prepares the folder of a new storage and returns its path. Throws 400 for a path that is not absolute, for one
 * that overlaps with other data of the instance, for one with other files, and for one that cannot be created or written.
 */
export async function prepareFolder(ctx: Pick<Ctx, 'config' | 'db'>, given: string): Promise<string> {
  if (!isAbsolute(given)) throw invalid({ folder: 'must be an absolute path' })
  const folder = resolve(normalize(given))
  const taken = takenBy(ctx)
  refuseIfNear(folder, taken)
  const made = await make(folder)
  try {
    // A symbolic link may lead elsewhere.
    refuseIfNear(await realpath(folder), await Promise.all(taken.map(real)))
    await refuseIfForeign(folder)
    await probe(folder)
    return folder
  } catch (error) {
    if (made !== undefined) await removeEmpty(folder, made)
    throw error
  }
}

/** Folders that the instance uses for other data. */
function takenBy(ctx: Pick<Ctx, 'config' | 'db'>): string[] {
  const { repositories, uploads, secureFiles, artifacts, backups, logs, tmp, ssh, git } = dataPaths(
    ctx.config.dataDir,
  )
  const own = [repositories, uploads, secureFiles, artifacts, backups, logs, tmp, ssh, git]
  return [...own, ...storagesOf(ctx).map((storage) => storage.folder)].map((one) => resolve(one))
}

function refuseIfNear(folder: string, taken: readonly string[]): void {
  if (taken.some((one) => isWithin(folder, one)))
    throw invalid({ folder: 'is in a folder that the instance uses for other data' })
  if (taken.some((one) => isWithin(one, folder)))
    throw invalid({ folder: 'contains a folder that the instance uses for other data' })
}

/** True for the folder itself and everything below it. */
function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** Folders of repositories, and names that systems add to folders. */
const OWN = /^(?:@.*|lost\+found|\.DS_Store|System Volume Information|\$RECYCLE\.BIN)$/

/** Refuses folders with other files; the folder of a removed storage may come back. */
async function refuseIfForeign(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => {
    throw invalid({ folder: 'cannot be read' })
  })
  if (names.some((name) => !OWN.test(name))) throw invalid({ folder: 'contains other files already' })
}

/**
 * Creates the folder. Returns the first folder that was missing; undefined where all exist. It goes level by level, because
 * `mkdir` with `recursive` never ends where folders cannot be created, as below `/proc`.
 */
async function make(folder: string): Promise<string | undefined> {
  const missing: string[] = []
  try {
    for (let one = folder; !(await isFolder(one)); one = dirname(one)) {
      if (one === missing[0]) throw new Error('The root folder is missing.')
      missing.unshift(one)
    }
    for (const one of missing) await mkdir(one).catch(unlessThere)
    if (await isFolder(folder)) return missing[0]
  } catch {
    // The system's reason does not matter: the answer is the same.
  }
  if (missing.length > 0) await removeEmpty(folder, missing[0]!)
  throw invalid({ folder: 'cannot be created' })
}

/** False where nothing exists. Rejects where it is not a folder. */
async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (found && !found.isDirectory()) throw new Error('This is not a folder.')
  return found !== undefined
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

async function probe(folder: string): Promise<void> {
  const file = join(folder, `.deskforge-${process.pid}`)
  try {
    await writeFile(file, '', { flag: 'wx' })
    await rm(file)
  } catch {
    throw invalid({ folder: 'cannot be written' })
  }
}

async function removeEmpty(folder: string, first: string): Promise<void> {
  for (let one = folder; isWithin(one, first); one = resolve(one, '..')) await rmdir(one).catch(() => {})
}

function real(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder)
}
