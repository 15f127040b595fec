import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { git } from '../args.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** The folders that git spreads loose objects over. */
const FAN_OUT = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'))
/** Git takes a file of this name for an object that is being written. The sweep after a crash removes it. */
const HELD = 'tmp_obj_held'
/** How long empty folders are worth waiting for. */
const PATIENCE_MS = 1000

interface PackOptions {
  readonly signal?: AbortSignal
}

/** Packs loose objects and small packs together and packs the refs. Safe while others read and write. */
export function packRepository(repo: Repo, options: PackOptions = {}): Promise<void> {
  const limits = { timeoutMs: 3_600_000, signal: options.signal }
  return holdingFolders(repo, async () => {
    await run(repo, 'repository.pack_refs', git`pack-refs --all`, limits)
    await run(repo, 'repository.pack', git`repack --geometric=2 -d -q`, limits)
  })
}

/** Packs everything that refs lead to into one; what nothing leads to any more stays. Safe while others read and write. */
export function repackRepository(repo: Repo, options: PackOptions = {}): Promise<void> {
  const limits = { timeoutMs: 3_600_000, signal: options.signal }
  return holdingFolders(repo, async () => {
    await run(repo, 'repository.pack_refs', git`pack-refs --all`, limits)
    await run(repo, 'repository.pack', git`repack -A -d -q`, limits)
  })
}

/**
 * Packs everything into one, packs the refs, writes the commit graph, and drops objects that nothing has led to for two
 * weeks. Safe while others read and write: what a push is about to use is younger than that.
 */
export function collectGarbage(repo: Repo, options: PackOptions = {}): Promise<void> {
  const limits = { timeoutMs: 3_600_000, signal: options.signal }
  return holdingFolders(repo, async () => {
    await run(repo, 'repository.gc', git`gc --quiet --prune=2.weeks.ago`, limits)
    await run(repo, 'repository.commit_graph', git`commit-graph write --reachable`, limits)
  })
}

/**
 * Runs `work` while no folder of loose objects is empty. Git removes the empty ones when it packs, also one that another
 * command has just made for an object; that command then fails with "unable to create temporary file".
 */
async function holdingFolders(repo: Repo, work: () => Promise<void>): Promise<void> {
  const close = repo.git.openWrites.enter(repo.gitDir)
  await Promise.all(FAN_OUT.map((name) => hold(path.join(repo.gitDir, 'objects', name))))
  try {
    await work()
  } finally {
    const release = (folder: string) => rm(path.join(folder, HELD), { force: true }).catch(() => undefined)
    // The repository may have been moved meanwhile.
    const folders = FAN_OUT.map((name) => path.join(repo.gitDir, 'objects', name))
    await Promise.all(folders.map(release))
    const removeEmpty = () => Promise.all(folders.map((folder) => rmdir(folder).catch(() => undefined)))
    await repo.git.traffic.alone([repo.key], PATIENCE_MS, removeEmpty)
    // Git takes a file of packed refs for the one it knows when both were written in one second and look alike. Besides, readers
    // hold packs open that were removed.
    await repo.git.catFiles.closeRepo(repo)
    close()
  }
}

/** On a disk that refuses, git says what is wrong, and better. */
async function hold(folder: string): Promise<void> {
  try {
    await mkdir(folder).catch(() => undefined)
    await writeFile(path.join(folder, HELD), '')
  } catch {
    // Then the folder may go while somebody writes, as it would without us.
  }
}
