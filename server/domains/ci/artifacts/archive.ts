import { LRUCache } from 'lru-cache'
import { open } from 'node:fs/promises'

import {
  readZipDirectory,
  ZipProblem,
  type ZipDirectory as Directory,
} from '../../../lib/archive/zip-reader.ts'
import type { Ctx } from '../../../ctx.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { pathOf, type FileLocation } from './disk.ts'

/** The maximum number of cached entries of all directories. */
const MAX_CACHED_ENTRIES = 250_000
const CACHED_MS = 60_000

/**
 * The cached directories by stored name, and those that are being read. Users browse an archive folder by folder, and
 * the content under a stored name never changes.
 */
interface Cache {
  readonly directories: LRUCache<string, Directory>
  readonly reading: Map<string, Promise<Directory>>
}

function cacheOf({ db }: Pick<Ctx, 'db'>): Cache {
  return db.instance(
    'ci.artifact_directories',
    () => ({
      directories: new LRUCache<string, Directory>({
        maxSize: MAX_CACHED_ENTRIES,
        sizeCalculation: (directory) => directory.size + 1,
        ttl: CACHED_MS,
        ttlAutopurge: true,
      }),
      reading: new Map<string, Promise<Directory>>(),
    }),
    { dependsOnRows: true },
  )
}

/**
 * Returns the directory of a stored archive. Throws 404 if the file is missing, and 422 if it is no archive or too large.
 */
export async function directoryOf(
  ctx: Pick<Ctx, 'db' | 'config'>,
  location: FileLocation,
): Promise<Directory> {
  const { directories, reading } = cacheOf(ctx)
  const cached = directories.get(location.stored_as)
  if (cached) return cached
  // Concurrent callers share one read.
  const read = reading.get(location.stored_as) ?? readDirectory(ctx, location)
  reading.set(location.stored_as, read)
  try {
    const directory = await read
    directories.set(location.stored_as, directory)
    return directory
  } finally {
    reading.delete(location.stored_as)
  }
}

async function readDirectory(ctx: Pick<Ctx, 'config'>, location: FileLocation): Promise<Directory> {
  const handle = await open(pathOf(ctx, location)).catch(() => undefined)
  if (!handle) throw notFound()
  try {
    return await readZipDirectory(handle)
  } catch (error) {
    if (error instanceof ZipProblem) throw fail('unprocessable', error.message)
    throw error
  } finally {
    await handle.close()
  }
}

/** An entry of a folder of an archive. */
export interface ListedEntry {
  readonly name: string
  readonly path: string
  readonly type: 'tree' | 'blob'
  /** The size in bytes; of a folder, the size of all files below it. */
  readonly size: number
}

/** Lists a folder of an archive by name, folders first. Undefined if the folder does not exist. */
export function listFolder(directory: Directory, folder: string): ListedEntry[] | undefined {
  const prefix = folder === '' ? '' : `${folder}/`
  const folders = new Map<string, number>()
  const files: ListedEntry[] = []
  for (const { path, size } of directory.values()) {
    if (!path.startsWith(prefix)) continue
    const end = path.indexOf('/', prefix.length)
    if (end < 0) files.push({ name: path.slice(prefix.length), path, type: 'blob', size })
    else {
      const name = path.slice(prefix.length, end)
      folders.set(name, (folders.get(name) ?? 0) + size)
    }
  }
  if (folder !== '' && folders.size === 0 && files.length === 0) return undefined
  const trees = [...folders].map(([name, size]) => ({
    name,
    path: prefix + name,
    type: 'tree' as const,
    size,
  }))
  return [...trees.sort(byName), ...files.sort(byName)]
}

function byName(a: ListedEntry, b: ListedEntry): number {
  return a.name < b.name ? -1 : 1
}
