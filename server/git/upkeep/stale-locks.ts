import { existsSync, lstatSync } from 'node:fs'
import path from 'node:path'
import { leftoversIn, removeLeftovers } from './leftovers.ts'
import type { Repo } from '../types.ts'

/** The time in milliseconds to wait for running writers. */
const WRITER_WAIT_MS = 10_000
const BLOCKED = /Unable to create '[^']*\.lock': File exists|could not lock config file .*: File exists/

/** True if git reports that a lock file blocks it. */
export function isBlocked(stderr: string): boolean {
  return BLOCKED.test(stderr)
}

/**
 * Removes the leftovers of killed programs from a repository: locks, and unfinished objects unless a push is running.
 * Waits until no command of this instance writes there. No other program writes in the data folder, so all such files
 * are leftovers then. Returns the number of removed files; undefined if a writer did not end in time. With `before`
 * (milliseconds), only files that are older are removed.
 */
export async function sweepRepository(repo: Repo, before?: number): Promise<number | undefined> {
  const { traffic } = repo.git
  return traffic.runExclusively([repo.key], WRITER_WAIT_MS, async () => {
    const leftovers = await leftoversIn(repo.gitDir, traffic.hasPush(repo.key) ? 'locks' : 'all')
    const files = before === undefined ? leftovers : leftovers.filter((file) => isOlder(file, before))
    await removeLeftovers(files)
    return files.length
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
