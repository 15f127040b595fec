import { mkdir, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { git } from '../args.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** The folders that hold loose objects, by the first two digits of the id. */
const FAN_OUT = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'))
/** Git treats a file with this name as an object that is being written. The sweep after a crash removes it. */
const KEEP_FILE = 'tmp_obj_held'
/** The time in milliseconds to wait for writers. After that the empty folders are not protected. */
const PATIENCE_MS = 1000

/** Writers wait while a repository up to this size is packed, which takes a fraction of a second. */
const SMALL_BYTES = 16 * 1024 * 1024
const SMALL_OBJECTS = 4000

interface PackOptions {
  readonly signal?: AbortSignal
}

/** Packs loose objects and small packs together and packs the refs. Safe while others read and write. */
export function packRepository(repo: Repo, options: PackOptions = {}): Promise<void> {
  const limits = { timeoutMs: 3_600_000, signal: options.signal }
  return packing(repo, async (held) => {
    await run(held, 'repository.pack_refs', git`pack-refs --all`, limits)
    await run(held, 'repository.pack', git`repack --geometric=2 -d -q`, limits)
  })
}

/**
 * Packs everything that is reachable from refs into one pack; unreachable objects stay. Safe while others read and
 * write.
 */
export function repackRepository(repo: Repo, options: PackOptions = {}): Promise<void> {
  const limits = { timeoutMs: 3_600_000, signal: options.signal }
  return packing(repo, async (held) => {
    await run(held, 'repository.pack_refs', git`pack-refs --all`, limits)
    await run(held, 'repository.pack', git`repack -A -d -q`, limits)
  })
}

/**
 * Packs everything into one pack, packs the refs, writes the commit graph, and drops objects that have been unreachable
 * for two weeks. Safe while others read and write: the objects of a running push are younger than that.
 */
export function collectGarbage(repo: Repo, options: PackOptions = {}): Promise<void> {
  const limits = { timeoutMs: 3_600_000, signal: options.signal }
  return packing(repo, async (held) => {
    // A snapshot may need objects that no ref leads to any more.
    if (repo.git.needed.has(repo.gitDir)) await run(held, 'repository.gc', git`gc --quiet --no-prune`, limits)
    else await run(held, 'repository.gc', git`gc --quiet --prune=2.weeks.ago`, limits)
    await run(held, 'repository.commit_graph', git`commit-graph write --reachable`, limits)
  })
}

/**
 * Runs `work`, which packs and so removes empty folders of loose objects, without harm to writers: they wait while a
 * small repository is packed, and continue while a large one is.
 */
async function packing(repo: Repo, work: (repo: Repo) => Promise<void>): Promise<void> {
  const isDone = (await isSmall(repo)) && (await withoutWriters(repo, work))
  if (!isDone) await keepingFolders(repo, () => work(repo))
  // A cat-file process does not notice a new packed-refs file when both were written in one second and have the same
  // size. It also keeps removed packs open.
  await repo.git.catFiles.closeRepo(repo)
}

/** Returns false if earlier writers take too long; then `work` did not run. */
async function withoutWriters(repo: Repo, work: (repo: Repo) => Promise<void>): Promise<boolean> {
  const close = repo.git.openWrites.enter(repo.gitDir)
  try {
    const done = await repo.git.traffic.alone([repo.key], PATIENCE_MS, async () => {
      // The commands of `work` count as writers of another key, because those of this one wait.
      await work({ ...repo, gitDir: repo.gitDir, key: `${repo.key}\0packing` })
      return true
    })
    return done ?? false
  } finally {
    close()
  }
}

/** True if the repository is packed within a moment. */
async function isSmall(repo: Repo): Promise<boolean> {
  const folder = path.join(repo.gitDir, 'objects')
  const packs = await readdir(path.join(folder, 'pack')).catch(() => [])
  const sizes = await Promise.all(
    packs.map(async (name) => (await stat(path.join(folder, 'pack', name)).catch(() => null))?.size ?? 0),
  )
  if (sizes.reduce((sum, size) => sum + size, 0) > SMALL_BYTES) return false
  // Ids are spread evenly, so the number in one folder is enough.
  const [sample] = FAN_OUT
  const loose = await readdir(path.join(folder, sample!)).catch(() => [])
  return loose.length * FAN_OUT.length <= SMALL_OBJECTS
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
    // The repository may have been moved in the meantime.
    const folders = FAN_OUT.map((name) => path.join(repo.gitDir, 'objects', name))
    await Promise.all(folders.map(release))
    const removeEmpty = () => Promise.all(folders.map((folder) => rmdir(folder).catch(() => undefined)))
    await repo.git.traffic.alone([repo.key], PATIENCE_MS, removeEmpty)
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
