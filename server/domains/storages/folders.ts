import { mkdir, realpath, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { isAbsolute, join, normalize, relative, resolve, sep } from 'node:path'

import { dataPaths } from '../../config.ts'
import type { Ctx } from '../../ctx.ts'
import { invalid } from '../../lib/fail.ts'
import { storagesOf } from './storages.ts'

/**
 * Makes the folder of a new storage ready and returns its path. Throws 400 for a path that is not absolute, for one beside
 * which something else of the instance lies, and for a folder that cannot be made or written.
 */
export async function prepareFolder(ctx: Pick<Ctx, 'config' | 'db'>, given: string): Promise<string> {
  if (!isAbsolute(given)) throw invalid({ folder: 'must be an absolute path' })
  const folder = resolve(normalize(given))
  const taken = takenBy(ctx)
  refuseIfNear(folder, taken)
  const made = await make(folder)
  try {
    // A link may lead somewhere else.
    refuseIfNear(await realpath(folder), await Promise.all(taken.map(real)))
    await probe(folder)
    return folder
  } catch (error) {
    if (made !== undefined) await removeEmpty(folder, made)
    throw error
  }
}

/** Folders whose content is somebody else's. */
function takenBy(ctx: Pick<Ctx, 'config' | 'db'>): string[] {
  const { repositories, uploads, secureFiles, artifacts, backups, logs, tmp, ssh, git } = dataPaths(
    ctx.config.dataDir,
  )
  const own = [repositories, uploads, secureFiles, artifacts, backups, logs, tmp, ssh, git]
  return [...own, ...storagesOf(ctx).map((storage) => storage.folder)].map((one) => resolve(one))
}

function refuseIfNear(folder: string, taken: readonly string[]): void {
  if (taken.some((one) => isWithin(folder, one)))
    throw invalid({ folder: 'lies in a folder that the instance uses for something else' })
  if (taken.some((one) => isWithin(one, folder)))
    throw invalid({ folder: 'holds a folder that the instance uses for something else' })
}

/** True for the folder itself and everything below it. */
function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** Makes the folder. Returns the first folder that was missing; undefined where it was there. */
async function make(folder: string): Promise<string | undefined> {
  try {
    const made = await mkdir(folder, { recursive: true })
    if ((await stat(folder)).isDirectory()) return made
  } catch {
    // The reason is the operating system's; what can be done about it is the same.
  }
  throw invalid({ folder: 'cannot be made' })
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
