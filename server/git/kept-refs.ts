import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Repo } from './types.ts'

/** A repository with more folders of loose refs is read anew each time; housekeeping packs refs and removes folders. */
const MAX_FOLDERS = 300

/** The resolution of file times on common file systems in milliseconds, except FAT and network disks. */
const STEP_MS = 20

/** A file or folder with its time of change in nanoseconds; -1 if it does not exist. */
type Stamp = readonly [file: string, changed: bigint]

interface KeptValue<T> {
  readonly content: T
  readonly writes: number
  readonly stamps: readonly Stamp[]
}

/**
 * Returns what `load` reads from the refs of a repository, and keeps it until a ref changes. It detects changes by this
 * instance from its traffic, and changes by other programs from the times of the packed refs, HEAD and the folders of
 * refs.
 */
export async function keptWhileRefsStay<T>(
  repo: Repo,
  name: string,
  load: () => Promise<{ content: T; bytes: number }>,
): Promise<T> {
  const { traffic, cache } = repo.git
  const { gitDir } = repo
  const id = `${gitDir}\0${name}`
  const writes = traffic.writesTo(gitDir)
  if (writes === undefined) return (await load()).content
  const cached = cache.get<KeptValue<T>>(repo, 'refs', id)
  if (cached?.writes === writes && (await areSame(cached.stamps))) return cached.content
  const stamps = await stampsOf(gitDir)
  const { content, bytes } = await load()
  if (stamps !== undefined && !isFresh(stamps) && traffic.writesTo(gitDir) === writes)
    cache.set(repo, 'refs', id, { content: { content, writes, stamps }, bytes: bytes + 150 * stamps.length })
  return content
}

async function areSame(stamps: readonly Stamp[]): Promise<boolean> {
  const now = await Promise.all(stamps.map(([file]) => changed(file)))
  return stamps.every(([, before], index) => now[index] === before)
}

/** File systems count time in steps, so a second change within one step would not show. */
function isFresh(stamps: readonly Stamp[]): boolean {
  const lately = BigInt(Date.now() - STEP_MS) * 1_000_000n
  return stamps.some(([, at]) => at > lately)
}

/**
 * A new or removed ref changes the time of its folder, and so does a new value, because it is renamed over the old one.
 */
async function stampsOf(gitDir: string): Promise<Stamp[] | undefined> {
  const folders = [path.join(gitDir, 'refs')]
  // The list grows while it is walked.
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) if (entry.isDirectory()) folders.push(path.join(folder, entry.name))
    if (folders.length > MAX_FOLDERS) return undefined
  }
  const files = [path.join(gitDir, 'HEAD'), path.join(gitDir, 'packed-refs'), ...folders]
  return Promise.all(files.map(async (file) => [file, await changed(file)] as const))
}

async function changed(file: string): Promise<bigint> {
  const stats = await stat(file, { bigint: true }).catch(() => null)
  return stats?.mtimeNs ?? -1n
}
