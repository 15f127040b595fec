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

/** Users browse an archive folder by folder, so its directory is cached. The content under a stored name never changes. */
const KEPT_ENTRIES = 250_000
const KEPT_MS = 60_000

interface Cache {
  readonly kept: LRUCache<string, Directory>
  readonly reading: Map<string, Promise<Directory>>
}

function cacheOf({ db }: Pick<Ctx, 'db'>): Cache {
  return db.instance(
    'ci.artifact_directories',
    () => ({
      kept: new LRUCache<string, Directory>({
        maxSize: KEPT_ENTRIES,
        sizeCalculation: (directory) => directory.size + 1,
        ttl: KEPT_MS,
        ttlAutopurge: true,
      }),
      reading: new Map<string, Promise<Directory>>(),
    }),
    { dependsOnRows: true },
  )
}

/**
 * Returns the directory of a stored archive. Throws 404 if the file is missing, 422 if it is not an archive or is too large.
 */
export async function directoryOf(
  ctx: Pick<Ctx, 'db' | 'config'>,
  location: FileLocation,
): Promise<Directory> {
  const { kept, reading } = cacheOf(ctx)
  const cached = kept.get(location.stored_as)
  if (cached) return cached
  // Concurrent callers share one read.
  const begun = reading.get(location.stored_as) ?? openDirectory(ctx, location)
  reading.set(location.stored_as, begun)
  try {
    const directory = await begun
    kept.set(location.stored_as, directory)
    return directory
  } finally {
    reading.delete(location.stored_as)
  }
}

async function openDirectory(ctx: Pick<Ctx, 'config'>, location: FileLocation): Promise<Directory> {
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
  /** Size in bytes. For a folder: of all files below it. */
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
