import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { git } from '../args.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** The folders that hold loose objects, by the first two digits of the id. */
const FAN_OUT = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'))
/** Git treats a file with this name as an object that is being written. The sweep after a crash removes it. */
const KEEP_FILE = 'tmp_obj_held'
/** How long to wait for writers before the empty folders are left as they are. */
const PATIENCE_MS = 1000

interface PackOptions {
  readonly signal?: AbortSignal
}

/** Packs loose objects and small packs together and packs the refs. Safe while others read and write. */
export function packRepository(repo: Repo, options: PackOptions = {}): Promise<void> {
  const limits = { timeoutMs: 3_600_000, signal: options.signal }
  return keepingFolders(repo, async () => {
    await run(repo, 'repository.pack_refs', git`pack-refs --all`, limits)
    await run(repo, 'repository.pack', git`repack --geometric=2 -d -q`, limits)
  })
}

/**
 * Packs everything that is reachable from refs into one pack; unreachable objects stay. Safe while others read and
 * write.
 */
export function repackRepository(repo: Repo, options: PackOptions = {}): Promise<void> {
  const limits = { timeoutMs: 3_600_000, signal: options.signal }
  return keepingFolders(repo, async () => {
    await run(repo, 'repository.pack_refs', git`pack-refs --all`, limits)
    await run(repo, 'repository.pack', git`repack -A -d -q`, limits)
  })
}

/**
 * Packs everything into one pack, packs the refs, writes the commit graph, and drops objects that have been unreachable
 * for two weeks. Safe while others read and write: the objects of a running push are younger than that.
 */
export function collectGarbage(repo: Repo, options: PackOptions = {}): Promise<void> {
  const limits = { timeoutMs: 3_600_000, signal: options.signal }
  return keepingFolders(repo, async () => {
    await run(repo, 'repository.gc', git`gc --quiet --prune=2.weeks.ago`, limits)
    await run(repo, 'repository.commit_graph', git`commit-graph write --reachable`, limits)
  })
}

/**
 * Runs `work` while every folder of loose objects contains a file. Git removes empty ones when it packs, even one that
 * another command has just made for an object; that command then fails with "unable to create temporary file".
 */
async function keepingFolders(repo: Repo, work: () => Promise<void>): Promise<void> {
  const close = repo.git.openWrites.enter(repo.gitDir)
  await Promise.all(FAN_OUT.map((name) => keepFolder(path.join(repo.gitDir, 'objects', name))))
  try {
    await work()
  } finally {
    const release = (folder: string) =>
      rm(path.join(folder, KEEP_FILE), { force: true }).catch(() => undefined)
    // The repository may have been moved meanwhile.
    const folders = FAN_OUT.map((name) => path.join(repo.gitDir, 'objects', name))
    await Promise.all(folders.map(release))
    const removeEmpty = () => Promise.all(folders.map((folder) => rmdir(folder).catch(() => undefined)))
    await repo.git.traffic.alone([repo.key], PATIENCE_MS, removeEmpty)
    // A cat-file process does not notice a new packed-refs file when both were written in one second and have the same
    // size. It also keeps removed packs open.
    await repo.git.catFiles.closeRepo(repo)
    close()
  }
}

async function keepFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder).catch(() => undefined)
    await writeFile(path.join(folder, KEEP_FILE), '')
  } catch {
    // Without the file the folder may be removed during a write. On a full disk git itself reports the problem.
  }
}
