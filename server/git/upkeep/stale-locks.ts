import { existsSync, lstatSync } from 'node:fs'
import path from 'node:path'
import { leftoversIn, removeLeftovers } from './leftovers.ts'
import type { Repo } from '../types.ts'

/** The time in milliseconds to wait for running writers. */
const PATIENCE_MS = 10_000
const BLOCKED = /Unable to create '[^']*\.lock': File exists|could not lock config file .*: File exists/

/** True if git reports that a lock file blocks it. */
export function isBlocked(stderr: string): boolean {
  return BLOCKED.test(stderr)
}

/**
 * Removes what killed programs left in a repository: locks, and unfinished objects unless a push is running. Waits
 * until no command of this instance writes there; no other program writes in the data folder, so all other such files
 * are leftovers. Returns the number of removed files; undefined if a writer did not end in time. `before` limits it to
 * files older than this time (milliseconds).
 */
export async function sweepRepository(repo: Repo, before?: number): Promise<number | undefined> {
  const { traffic } = repo.git
  return traffic.alone([repo.key], PATIENCE_MS, async () => {
    const all = await leftoversIn(repo.gitDir, traffic.isPushedTo(repo.key) ? 'locks' : 'all')
    const locks = before === undefined ? all : all.filter((file) => isOlder(file, before))
    await removeLeftovers(locks)
    return locks.length
  })
}

function isOlder(file: string, before: number): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  return stats !== undefined && stats.mtimeMs < before
}

/** Removes stale locks of these refs. */
export async function clearStaleLocks(repo: Repo, refs: readonly string[]): Promise<void> {
  const isLocked = ['packed-refs', 'HEAD', ...refs].some((ref) =>
    existsSync(path.join(repo.gitDir, `${ref}.lock`)),
  )
  if (isLocked) await sweepRepository(repo)
}
