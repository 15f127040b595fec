import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Repo } from './types.ts'

/**
 * The maximum number of folders of loose refs. With more folders nothing is cached until housekeeping packs the refs and
 * removes the folders.
 */
const MAX_FOLDERS = 300

/** The resolution of file times in milliseconds, on all common file systems except FAT and network disks. */
const TIME_RESOLUTION_MS = 20

/** A file or folder with its modification time in nanoseconds; -1 if it does not exist. */
type Stamp = readonly [file: string, modified: bigint]

interface CachedContent<T> {
  readonly content: T
  /** The number of writes to the repository by this instance when the content was read. */
  readonly writes: number
  readonly stamps: readonly Stamp[]
}

/**
 * Returns the result of `load`, which reads the refs of a repository, and caches it until a ref changes. Changes by this
 * instance are detected by its traffic, changes by other programs by the modification times of the packed refs, HEAD and
 * the folders of refs.
 */
export async function cachedUntilRefsChange<T>(
  repo: Repo,
  name: string,
  load: () => Promise<{ content: T; bytes: number }>,
): Promise<T> {
  const { traffic, cache } = repo.git
  const { gitDir } = repo
  const id = `${gitDir}\0${name}`
  const writes = traffic.writesTo(gitDir)
  if (writes === undefined) return (await load()).content
  const cached = cache.get<CachedContent<T>>(repo, 'refs', id)
  if (cached?.writes === writes && areUnchanged(cached.stamps)) return cached.content
  const stamps = stampsOf(gitDir)
  const { content, bytes } = await load()
  if (stamps !== undefined && !isRecent(stamps) && traffic.writesTo(gitDir) === writes)
    cache.set(repo, 'refs', id, { content: { content, writes, stamps }, bytes: bytes + 150 * stamps.length })
  return content
}

function areUnchanged(stamps: readonly Stamp[]): boolean {
  return stamps.every(([file, before]) => modifiedAt(file) === before)
}

/** True if a file was modified so recently that another change may get the same modification time. */
function isRecent(stamps: readonly Stamp[]): boolean {
  const recent = BigInt(Date.now() - TIME_RESOLUTION_MS) * 1_000_000n
  return stamps.some(([, at]) => at > recent)
}

/**
 * The modification times that change with the refs. A new or removed ref changes the time of its folder. So does a new
 * value, because git writes a new file and renames it. Undefined when there are too many folders. Reads in the main thread:
 * a few microseconds per folder, where waiting for a thread takes milliseconds on a busy instance.
 */
function stampsOf(gitDir: string): Stamp[] | undefined {
  const folders = [path.join(gitDir, 'refs')]
  // The loop also visits the folders that it adds.
  for (const folder of folders) {
    for (const entry of entriesOf(folder))
      if (entry.isDirectory()) folders.push(path.join(folder, entry.name))
    if (folders.length > MAX_FOLDERS) return undefined
  }
  const files = [path.join(gitDir, 'HEAD'), path.join(gitDir, 'packed-refs'), ...folders]
  return files.map((file) => [file, modifiedAt(file)] as const)
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function modifiedAt(file: string): bigint {
  try {
    return statSync(file, { bigint: true }).mtimeNs
  } catch {
    return -1n
  }
}
