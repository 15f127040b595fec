import { existsSync, lstatSync } from 'node:fs'
import path from 'node:path'
import { leftoversIn, removeLeftovers } from './leftovers.ts'
import type { Repo } from '../types.ts'

/** How long others may take to end what they are writing. */
const PATIENCE_MS = 10_000
const BLOCKED = /Unable to create '[^']*\.lock': File exists|could not lock config file .*: File exists/

/** True where git says that a lock kept it from writing. */
export function isBlocked(stderr: string): boolean {
  return BLOCKED.test(stderr)
}

/**
 * Removes what programs that were ended in the middle left in a repository: locks, and unfinished objects where no push is coming
 * in. Waits until none of our commands writes there; then nothing that is found belongs to anybody, for nobody else writes in
 * the data folder. Returns how many were removed; undefined where somebody went on writing. `before`: only what is older
 * than that moment (milliseconds) goes.
 */
export async function sweepRepository(repo: Repo, before?: number): Promise<number | undefined> {
  const { traffic } = repo.git
  return traffic.alone([repo.key], PATIENCE_MS, async () => {
    const all = await leftoversIn(repo.gitDir, traffic.isPushedTo(repo.key) ? 'locks' : 'all')
    const found = before === undefined ? all : all.filter((file) => isOlder(file, before))
    await removeLeftovers(found)
    return found.length
  })
}

function isOlder(file: string, before: number): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false })
  return found !== undefined && found.mtimeMs < before
}

/** Removes locks from the way of these refs, if there are any. */
export async function clearStaleLocks(repo: Repo, refs: readonly string[]): Promise<void> {
  const isLocked = ['packed-refs', 'HEAD', ...refs].some((ref) =>
    existsSync(path.join(repo.gitDir, `${ref}.lock`)),
  )
  if (isLocked) await sweepRepository(repo)
}
