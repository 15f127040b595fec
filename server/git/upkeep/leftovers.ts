import { open, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { entriesBelow } from '../../lib/files/folders.ts'
import { endSurvivors } from '../process/survivors.ts'
import type { Git } from '../types.ts'

/** Temporary files of git by their folder in the repository. After git has ended, they are useless. */
const LEFTOVERS: readonly (readonly [folder: RegExp, name: RegExp])[] = [
  [/^$/, /\.lock$|^gc\.pid$|^packed-refs\.new$|^shallow_/],
  [/^(?:refs|logs|worktrees|info)(?:\/|$)/, /\.lock$/],
  [/^objects(?:\/|$)/, /\.lock$|^tmp_|^incoming-|^\.tmp-/],
]
/** Folders that are removed with their content. */
const UNFINISHED = /^objects\/(?:tmp_|incoming-)/
/** The object folder. It contains the objects of pushes that wait for permission, and packs that are being received. */
const INCOMING = /^objects(?:\/|$)/
/**
 * Git writes a `.keep` file for a pack before it writes the refs. The file contains the name of the command, unlike files
 * that users create.
 */
const KEEP_FILE = /^pack-[0-9a-f]+\.keep$/
const CREATED_BY_GIT = /^(?:fetch-pack|receive-pack) /

/**
 * Files and folders that killed git programs left in a repository: locks, which block every later write, and unfinished
 * objects. Call it only while no program writes there. `locks` leaves out the objects of running pushes.
 */
export async function leftoversIn(gitDir: string, only: 'all' | 'locks' = 'all'): Promise<string[]> {
  const leftovers: string[] = []
  for (const entry of (await entriesBelow(gitDir).catch(() => undefined)) ?? []) {
    const inside = path.relative(gitDir, entry.parentPath).replaceAll(path.sep, '/')
    const file = path.join(entry.parentPath, entry.name)
    if (UNFINISHED.test(inside)) continue
    if (only === 'locks' && INCOMING.test(inside) && !entry.name.endsWith('.lock')) continue
    const isLeftover = LEFTOVERS.some(([folder, name]) => folder.test(inside) && name.test(entry.name))
    if (isLeftover || (KEEP_FILE.test(entry.name) && (await isCreatedByGit(file)))) leftovers.push(file)
  }
  return leftovers
}

/**
 * The names of folders that an interrupted creation or removal of a repository leaves. The first group is the name of the
 * repository.
 */
export const UNFINISHED_FOLDER = /^(.+\.git)\.(?:new|deleted)-[^.]+$/

/** The folders that an interrupted creation or removal of a repository left next to it. */
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
  /** The repositories that could not be cleaned up, with the error. */
  readonly problems: readonly { readonly gitDir: string; readonly error: unknown }[]
}

/**
 * Removes the leftovers of a killed instance from the repositories that it was writing to. Call it at the start, before
 * git is used. Only one instance uses the data folder, so all temporary files are leftovers then.
 */
export async function sweepAfterCrash(git: Git): Promise<SweepResult> {
  const gitDirs = git.openWrites.interrupted()
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

async function isCreatedByGit(file: string): Promise<boolean> {
  const handle = await open(file, 'r').catch(() => undefined)
  if (!handle) return false
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(32), 0, 32, 0)
    return CREATED_BY_GIT.test(buffer.toString('latin1', 0, bytesRead))
  } finally {
    await handle.close()
  }
}
