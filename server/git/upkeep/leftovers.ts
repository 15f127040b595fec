import { open, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { endSurvivors } from '../process/survivors.ts'
import type { Git } from '../types.ts'

/** What git makes while it writes, by where in a repository it lies. Nobody needs it once git has ended. */
const LEFTOVERS: readonly (readonly [place: RegExp, name: RegExp])[] = [
  [/^$/, /\.lock$|^gc\.pid$|^packed-refs\.new$|^shallow_/],
  [/^(?:refs|logs|worktrees|info)(?:\/|$)/, /\.lock$/],
  [/^objects(?:\/|$)/, /\.lock$|^tmp_|^incoming-|^\.tmp-/],
]
/** Folders that go with all that is in them. */
const UNFINISHED = /^objects\/(?:tmp_|incoming-)/
/** Objects of pushes that wait for permission, and packs that are coming in. */
const INCOMING = /^objects(?:\/|$)/
/** Git says in the file who keeps a pack while its refs are still to be written; people write other things there. */
const KEPT = /^pack-[0-9a-f]+\.keep$/
const KEPT_BY_GIT = /^(?:fetch-pack|receive-pack) /

/**
 * Files and folders below a repository that git programs left which were ended in the middle: locks, which refuse every later
 * write, and unfinished objects. They are leftovers only while no program writes there. `locks` leaves out what belongs to
 * pushes that are coming in.
 */
export async function leftoversIn(gitDir: string, only: 'all' | 'locks' = 'all'): Promise<string[]> {
  const found: string[] = []
  const entries = await readdir(gitDir, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const place = path.relative(gitDir, entry.parentPath).replaceAll(path.sep, '/')
    const file = path.join(entry.parentPath, entry.name)
    if (UNFINISHED.test(place)) continue
    if (only === 'locks' && INCOMING.test(place) && !entry.name.endsWith('.lock')) continue
    const isLeftover = LEFTOVERS.some(([where, name]) => where.test(place) && name.test(entry.name))
    if (isLeftover || (KEPT.test(entry.name) && (await isKeptByGit(file)))) found.push(file)
  }
  return found
}

/** Names of folders that were to become a repository, or were it, when an instance ended; the group is the repository's. */
export const HALF_MADE = /^(.+\.git)\.(?:new|deleted)-[^.]+$/

/** Folders beside a repository that were to become it, or were it, when an instance ended. */
export async function halfMadeBeside(gitDir: string): Promise<string[]> {
  const folder = path.dirname(gitDir)
  const [draft, grave] = [`${path.basename(gitDir)}.new-`, `${path.basename(gitDir)}.deleted-`]
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => name.startsWith(draft) || name.startsWith(grave))
    .map((name) => path.join(folder, name))
}

/** Removes leftovers. */
export async function removeLeftovers(files: readonly string[]): Promise<void> {
  for (const file of files) await rm(file, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

/** What the start after a crash has found and removed. */
export interface Swept {
  readonly repositories: number
  readonly removed: number
  /** Programs that could not be ended; then everything is left as it is. */
  readonly survivors: number
  /** Repositories that could not be seen to, with the reason. */
  readonly problems: readonly { readonly gitDir: string; readonly error: unknown }[]
}

/**
 * Removes what an instance that was killed left in repositories. To be called at the start, before git is used: whoever
 * holds the data folder is the only one who writes, so nothing that is found belongs to anybody. Only repositories
 * that were being written to are looked at.
 */
export async function sweepAfterCrash(git: Git): Promise<Swept> {
  const gitDirs = git.openWrites.left()
  if (gitDirs.length === 0) return { repositories: 0, removed: 0, survivors: 0, problems: [] }
  const survivors = await endSurvivors(git.home, gitDirs)
  if (survivors > 0) return { repositories: gitDirs.length, removed: 0, survivors, problems: [] }
  const problems: { gitDir: string; error: unknown }[] = []
  let removed = 0
  for (const gitDir of gitDirs) {
    try {
      const files = [...(await leftoversIn(gitDir)), ...(await halfMadeBeside(gitDir))]
      await removeLeftovers(files)
      removed += files.length
    } catch (error) {
      problems.push({ gitDir, error })
    }
  }
  if (problems.length === 0) git.openWrites.clear()
  return { repositories: gitDirs.length, removed, survivors, problems }
}

async function isKeptByGit(file: string): Promise<boolean> {
  const handle = await open(file, 'r').catch(() => undefined)
  if (!handle) return false
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(32), 0, 32, 0)
    return KEPT_BY_GIT.test(buffer.toString('latin1', 0, bytesRead))
  } finally {
    await handle.close()
  }
}
