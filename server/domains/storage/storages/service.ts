import { statfs, mkdir, readdir, realpath, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail, invalid, notFound } from '../../../lib/fail.ts'
import { StorageChanged } from '../events.ts'
import { DEFAULT_STORAGE, isStorage, storagesOf, weightsOf, type Storage } from './storages.ts'
import * as store from './store.ts'

/** A storage with the numbers and sizes of its repositories. */
export interface StorageView {
  readonly name: string
  readonly folder: string
  readonly origin: 'built_in' | 'started' | 'added'
  readonly weight: number
  readonly projects: { count: number; bytes: number }
  readonly snippets: { count: number; bytes: number }
  readonly group_wikis: { count: number; bytes: number }
  /** Null if the folder cannot be read, as is `total_bytes`. */
  readonly free_bytes: number | null
  readonly total_bytes: number | null
}

/**
 * Prepares the folder of a new storage and returns its path. Throws 400 if the path is not absolute, overlaps with other
 * data of the instance, contains other files, or cannot be created or written.
 */
async function prepareFolder(ctx: Pick<Ctx, 'config' | 'db'>, input: string): Promise<string> {
  if (!isAbsolute(input)) throw invalid({ folder: 'must be an absolute path' })
  const folder = resolve(normalize(input))
  const usedFolders = usedFoldersOf(ctx)
  refuseOverlap(folder, usedFolders)
  const createdFolder = await createFolder(folder)
  try {
    // The path may contain symbolic links to a folder that is in use.
    refuseOverlap(await realpath(folder), await Promise.all(usedFolders.map(realPathOf)))
    await refuseIfForeign(folder)
    await checkWritable(folder)
    return folder
  } catch (error) {
    if (createdFolder !== undefined) await removeEmpty(folder, createdFolder)
    throw error
  }
}

/** Folders that the instance uses for other data. */
function usedFoldersOf(ctx: Pick<Ctx, 'config' | 'db'>): string[] {
  const { repositories, uploads, secureFiles, artifacts, backups, logs, tmp, ssh, git } = dataPaths(
    ctx.config.dataDir,
  )
  const ownFolders = [repositories, uploads, secureFiles, artifacts, backups, logs, tmp, ssh, git]
  return [...ownFolders, ...storagesOf(ctx).map((storage) => storage.folder)].map((folder) => resolve(folder))
}

function refuseOverlap(folder: string, usedFolders: readonly string[]): void {
  if (usedFolders.some((path) => isWithin(folder, path)))
    throw invalid({ folder: 'is in a folder that the instance uses for other data' })
  if (usedFolders.some((path) => isWithin(path, folder)))
    throw invalid({ folder: 'contains a folder that the instance uses for other data' })
}

/** Whether a path is the folder itself or below it. */
function isWithin(path: string, folder: string): boolean {
  const relation = relative(folder, path)
  return relation === '' || (relation !== '..' && !relation.startsWith(`..${sep}`) && !isAbsolute(relation))
}

/** Folders of repositories (`@…`), and files that operating systems add to folders. */
const IGNORED_NAMES = /^(?:@.*|lost\+found|\.DS_Store|System Volume Information|\$RECYCLE\.BIN)$/

/** Refuses a folder with other files. The folder of a removed storage is allowed. */
async function refuseIfForeign(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => {
    throw invalid({ folder: 'cannot be read' })
  })
  if (names.some((name) => !IGNORED_NAMES.test(name)))
    throw invalid({ folder: 'already contains other files' })
}

/**
 * Creates the folder and its missing parents. Returns the topmost folder that was missing, or undefined if the folder
 * exists. It creates one level at a time, because a recursive `mkdir` never ends where folders cannot be created, as
 * below `/proc`.
 */
async function createFolder(folder: string): Promise<string | undefined> {
  const missing: string[] = []
  try {
    for (let current = folder; !(await isFolder(current)); current = dirname(current)) {
      if (current === missing[0]) throw new Error('The root folder is missing.')
      missing.unshift(current)
    }
    for (const path of missing) await mkdir(path).catch(ignoreExisting)
    if (await isFolder(folder)) return missing[0]
  } catch {
    // The answer is the same for every reason.
  }
  if (missing.length > 0) await removeEmpty(folder, missing[0]!)
  throw invalid({ folder: 'cannot be created' })
}

/** Returns whether a folder exists. Rejects if the path is not a folder. */
async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (stats && !stats.isDirectory()) throw new Error('This is not a folder.')
  return stats !== undefined
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

async function checkWritable(folder: string): Promise<void> {
  const file = join(folder, `.deskforge-${process.pid}`)
  try {
    await writeFile(file, '', { flag: 'wx' })
    await rm(file)
  } catch {
    throw invalid({ folder: 'cannot be written' })
  }
}

/** Removes the folder and its parents up to `first`, as far as they are empty. */
async function removeEmpty(folder: string, first: string): Promise<void> {
  for (let current = folder; isWithin(current, first); current = resolve(current, '..'))
    await rmdir(current).catch(() => {})
}

function realPathOf(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder)
}

const NAME = /^[A-Za-z0-9_.-]{1,64}$/

/** All storages with the numbers and sizes of their repositories, `default` first. */
export async function listStorages(ctx: Ctx): Promise<StorageView[]> {
  const counts = store.repositoryCounts(ctx.db)
  const weights = weightsOf(ctx)
  return Promise.all(storagesOf(ctx).map((storage) => viewOf(storage, counts, weights[storage.name] ?? 0)))
}

async function viewOf(
  storage: Storage,
  counts: readonly store.RepositoryCount[],
  weight: number,
): Promise<StorageView> {
  const countOf = (kind: store.RepositoryCount['kind']) => {
    const count = counts.find((entry) => entry.storage === storage.name && entry.kind === kind)
    return { count: count?.count ?? 0, bytes: count?.bytes ?? 0 }
  }
  const disk = await statfs(storage.folder).catch(() => undefined)
  return {
    ...storage,
    weight,
    projects: countOf('project'),
    snippets: countOf('snippet'),
    group_wikis: countOf('group'),
    free_bytes: disk ? disk.bavail * disk.bsize : null,
    total_bytes: disk ? disk.blocks * disk.bsize : null,
  }
}

/** Adds a storage. Throws 400 for an invalid name or folder. */
export async function addStorage(ctx: Ctx, input: { name: string; folder: string }): Promise<StorageView> {
  const { name } = input
  if (!NAME.test(name) || name === '.' || name === '..')
    throw invalid({ name: "can contain only letters, digits, '_', '-' and '.'" })
  refuseUsedName(ctx, name)
  const folder = await prepareFolder(ctx, input.folder)
  tx(ctx.db, () => {
    refuseUsedName(ctx, name)
    if (storagesOf(ctx).some((storage) => storage.folder === folder))
      throw invalid({ folder: 'has already been taken' })
    store.insert(ctx.db, { name, folder, created_at: ctx.now })
    publish(ctx, StorageChanged, { name, action: 'added', actor_id: ctx.actor.id })
  })
  const all = await listStorages(ctx)
  return all.find((storage) => storage.name === name)!
}

function refuseUsedName(ctx: Ctx, name: string): void {
  if (isStorage(ctx, name)) throw invalid({ name: 'has already been taken' })
}

/**
 * Removes a storage, but not its folder. Throws 404 for an unknown storage, and 409 if a start option names it or it has
 * repositories.
 */
export function removeStorage(ctx: Ctx, name: string): void {
  tx(ctx.db, () => {
    const storage = storagesOf(ctx).find((storage) => storage.name === name)
    if (!storage) throw notFound('Storage')
    if (name === DEFAULT_STORAGE) throw fail('conflict', 'The storage "default" cannot be removed.')
    if (storage.origin !== 'added')
      throw fail('conflict', 'A start option names this storage; remove the option instead.')
    if (store.isUsed(ctx.db, name))
      throw fail('conflict', 'This storage has repositories. Move them to another storage first.')
    store.remove(ctx.db, name)
    publish(ctx, StorageChanged, { name, action: 'removed', actor_id: ctx.actor.id })
  })
}
