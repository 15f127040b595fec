import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { keptDir } from '../../../git/upkeep/repository.ts'
import { readStorage, type RefSnapshot } from '../../backups/index.ts'
import type { SnapshotStorage } from './manifest.ts'

/** A repository of a snapshot. `ino` is the inode number of its folder, which identifies it. */
export interface SavedRepository {
  readonly storage: string
  readonly path: string
  readonly ino: number
  readonly refs: RefSnapshot
}

/** Reads the refs of all repositories. The caller prevents moves of refs. */
export function readRepositories(storages: readonly SnapshotStorage[]): SavedRepository[] {
  return storages.flatMap(({ name, folder }) =>
    readStorage(folder).repositories.map(({ path, refs }) => ({
      storage: name,
      path,
      ino: statSync(join(folder, path)).ino,
      refs,
    })),
  )
}

/** The folder of a saved repository; undefined if its storage no longer exists. */
export function dirOf({ storage, path }: SavedRepository, storages: readonly SnapshotStorage[]) {
  const folder = storages.find(({ name }) => name === storage)?.folder
  return folder === undefined ? undefined : join(folder, path)
}

/**
 * Restores the repositories of a snapshot: brings back removed ones, moves new ones aside, and resets refs. It may be
 * interrupted at any point and repeated. `isNeeded` is true for folders that other snapshots need. Returns the folders
 * of new repositories, which are to be deleted.
 */
export function restoreRepositories(
  saved: readonly SavedRepository[],
  storages: readonly SnapshotStorage[],
  isNeeded: (gitDir: string) => boolean,
): string[] {
  const repositories = readRepositories(storages)
  const byDir = new Map(repositories.map((repository) => [dirOf(repository, storages)!, repository]))
  const dirByIno = new Map(repositories.map((repository) => [repository.ino, dirOf(repository, storages)!]))
  const removedDirs: string[] = []
  const savedDirs = new Set<string>()
  const removeRepository = (gitDir: string): void => {
    const { ino } = statSync(gitDir)
    if (isNeeded(gitDir)) return renameSync(gitDir, keptDir(gitDir, ino))
    const removedDir = mkdtempSync(`${gitDir}.deleted-`)
    renameSync(gitDir, join(removedDir, 'repository'))
    removedDirs.push(removedDir)
  }
  for (const entry of saved) {
    const gitDir = dirOf(entry, storages)
    if (gitDir === undefined) continue
    savedDirs.add(gitDir)
    const repository = byDir.get(gitDir)
    const otherDir = [keptDir(gitDir, entry.ino), dirByIno.get(entry.ino)].find(
      (dir) => dir !== undefined && dir !== gitDir && existsSync(dir),
    )
    // In a copied data folder the inode numbers differ, so the path identifies the repository.
    const isAtPath = repository !== undefined && (repository.ino === entry.ino || otherDir === undefined)
    if (!isAtPath && otherDir !== undefined) {
      if (repository) removeRepository(gitDir)
      mkdirSync(dirname(gitDir), { recursive: true, mode: 0o700 })
      renameSync(otherDir, gitDir)
      byDir.delete(otherDir)
    } else if (!isAtPath) continue
    if (!isAtPath || !isSame(repository.refs, entry.refs)) writeRefs(gitDir, entry.refs)
  }
  for (const gitDir of byDir.keys())
    if (!savedDirs.has(gitDir) && existsSync(gitDir)) removeRepository(gitDir)
  return removedDirs
}

function isSame(a: RefSnapshot, b: RefSnapshot): boolean {
  return (
    a.head === b.head &&
    a.config === b.config &&
    linesOf(a.packed) === linesOf(b.packed) &&
    JSON.stringify(a.loose) === JSON.stringify(b.loose)
  )
}

/** The lines of a packed-refs file without its header and the targets of tags, which git adds when it packs. */
function linesOf(packed: string): string {
  return packed
    .split('\n')
    .filter((line) => line !== '' && !/^[#^]/.test(line))
    .join('\n')
}

function writeRefs(gitDir: string, { head, config, packed, loose }: RefSnapshot): void {
  // Packed refs are written first, because loose refs hide them until they are removed.
  replace(join(gitDir, 'packed-refs'), packed)
  // The folder itself stays: without it, a start after a crash would not find the repository and finish the restore.
  const refs = join(gitDir, 'refs')
  for (const name of readdirSync(refs)) rmSync(join(refs, name), { recursive: true, force: true })
  for (const name of ['heads', 'tags']) mkdirSync(join(refs, name), { recursive: true })
  for (const [path, content] of loose) {
    mkdirSync(dirname(join(gitDir, path)), { recursive: true })
    writeFileSync(join(gitDir, path), content)
  }
  replace(join(gitDir, 'HEAD'), head)
  replace(join(gitDir, 'config'), config)
}

function replace(file: string, content: string): void {
  const temporary = join(dirname(file), `.${basename(file)}.restored`)
  writeFileSync(temporary, content)
  renameSync(temporary, file)
}
