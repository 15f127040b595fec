import { open, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { entriesBelow } from '../../lib/files/entries-below.ts'
import { endSurvivors } from '../process/survivors.ts'
import type { Git } from '../types.ts'

/** Temporary files of git, by the folder in the repository where they are. They are not needed after git has ended. */
const LEFTOVERS: readonly (readonly [folder: RegExp, name: RegExp])[] = [
  [/^$/, /\.lock$|^gc\.pid$|^packed-refs\.new$|^shallow_/],
  [/^(?:refs|logs|worktrees|info)(?:\/|$)/, /\.lock$/],
  [/^objects(?:\/|$)/, /\.lock$|^tmp_|^incoming-|^\.tmp-/],
]
/** Folders that are removed with everything in them. */
const UNFINISHED = /^objects\/(?:tmp_|incoming-)/
/** The object folder, with the objects of pushes that wait for permission and the packs being received. */
const INCOMING = /^objects(?:\/|$)/
/**
 * Git writes a `.keep` file for a pack before its refs are written, with its own name in it; users write other text
 * there.
 */
const KEPT = /^pack-[0-9a-f]+\.keep$/
const KEPT_BY_GIT = /^(?:fetch-pack|receive-pack) /

/**
 * Files and folders that killed git programs left in a repository: locks, which block every later write, and unfinished
 * objects. Only call it while no program writes there. `locks` leaves out what belongs to running pushes.
 */
export async function leftoversIn(gitDir: string, only: 'all' | 'locks' = 'all'): Promise<string[]> {
  const leftovers: string[] = []
  for (const entry of (await entriesBelow(gitDir).catch(() => undefined)) ?? []) {
    const inside = path.relative(gitDir, entry.parentPath).replaceAll(path.sep, '/')
    const file = path.join(entry.parentPath, entry.name)
    if (UNFINISHED.test(inside)) continue
    if (only === 'locks' && INCOMING.test(inside) && !entry.name.endsWith('.lock')) continue
    const isLeftover = LEFTOVERS.some(([where, name]) => where.test(inside) && name.test(entry.name))
    if (isLeftover || (KEPT.test(entry.name) && (await isKeptByGit(file)))) leftovers.push(file)
  }
  return leftovers
}

/**
 * Folders that an interrupted creation or removal of a repository left; the first group is the repository's own name.
 */
export const UNFINISHED_FOLDER = /^(.+\.git)\.(?:new|deleted)-[^.]+$/

/** Folders that an interrupted creation or removal of this repository left next to it. */
export async function unfinishedFoldersOf(gitDir: string): Promise<string[]> {
  const folder = path.dirname(gitDir)
  const [createdPrefix, deletedPrefix] = [
    `${path.basename(gitDir)}.new-`,
    `${path.basename(gitDir)}.deleted-`,
  ]
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => name.startsWith(createdPrefix) || name.startsWith(deletedPrefix))
    .map((name) => path.join(folder, name))
}

export async function removeLeftovers(files: readonly string[]): Promise<void> {
  for (const file of files) await rm(file, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

/** The result of the sweep after a crash. */
export interface SweepResult {
  readonly repositories: number
  readonly removed: number
  /** Programs that could not be ended. If there are any, nothing is removed. */
  readonly survivors: number
  /** Repositories that could not be cleaned up, with the reason. */
  readonly problems: readonly { readonly gitDir: string; readonly error: unknown }[]
}

/**
 * Removes what a killed instance left in repositories. Call it at the start, before git is used: only one instance
 * holds the data folder, so all temporary files found are leftovers. Looks only at repositories with a write under way.
 */
export async function sweepAfterCrash(git: Git): Promise<SweepResult> {
  const gitDirs = git.openWrites.left()
  if (gitDirs.length === 0) return { repositories: 0, removed: 0, survivors: 0, problems: [] }
  const survivors = await endSurvivors(git.home, gitDirs)
  if (survivors > 0) return { repositories: gitDirs.length, removed: 0, survivors, problems: [] }
  const problems: { gitDir: string; error: unknown }[] = []
  let removed = 0
  for (const gitDir of gitDirs) {
    try {
      const files = [...(await leftoversIn(gitDir)), ...(await unfinishedFoldersOf(gitDir))]
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
