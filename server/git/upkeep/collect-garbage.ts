import { mkdir, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { git } from '../args.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** The names of the folders with loose objects, which are the first two digits of the ids. */
const FAN_OUT = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'))
/** A file that keeps a folder from being removed. Git treats it as an unfinished object, and so does the sweep after a crash. */
const KEEP_FILE = 'tmp_obj_held'
/** The time in milliseconds to wait for writers. */
const WRITER_WAIT_MS = 1000

/** The maximum size of a repository for which writers wait while it is packed, for a fraction of a second. */
const SMALL_BYTES = 16 * 1024 * 1024
const SMALL_OBJECTS = 4000

interface PackOptions {
  readonly signal?: AbortSignal
}

/** Packs loose objects and small packs together and packs the refs. Safe while others read and write. */
export function packRepository(repo: Repo, options: PackOptions = {}): Promise<void> {
  const runOptions = { timeoutMs: 3_600_000, signal: options.signal }
  return runPacking(repo, async (packedRepo) => {
    await run(packedRepo, 'repository.pack_refs', git`pack-refs --all`, runOptions)
    await run(packedRepo, 'repository.pack', git`repack --geometric=2 -d -q`, runOptions)
  })
}

/**
 * Packs all objects that are reachable from refs into one pack; unreachable objects stay. Safe while others read and
 * write.
 */
export function repackRepository(repo: Repo, options: PackOptions = {}): Promise<void> {
  const runOptions = { timeoutMs: 3_600_000, signal: options.signal }
  return runPacking(repo, async (packedRepo) => {
    await run(packedRepo, 'repository.pack_refs', git`pack-refs --all`, runOptions)
    await run(packedRepo, 'repository.pack', git`repack -A -d -q`, runOptions)
  })
}

/**
 * Packs all objects into one pack, packs the refs, writes the commit graph, and removes objects that have been
 * unreachable for two weeks. Safe while others read and write, because the objects of a running push are newer.
 */
export function collectGarbage(repo: Repo, options: PackOptions = {}): Promise<void> {
  const runOptions = { timeoutMs: 3_600_000, signal: options.signal }
  return runPacking(repo, async (packedRepo) => {
    // A snapshot may need objects that no ref points to any more.
    if (repo.git.snapshotDirs.has(repo.gitDir))
      await run(packedRepo, 'repository.gc', git`gc --quiet --no-prune`, runOptions)
    else await run(packedRepo, 'repository.gc', git`gc --quiet --prune=2.weeks.ago`, runOptions)
    await run(packedRepo, 'repository.commit_graph', git`commit-graph write --reachable`, runOptions)
  })
}

/**
 * Runs `work`, which packs objects. Git then removes empty folders of loose objects, which would make writers fail. So
 * they wait while a small repository is packed; in a large one, the folders are protected.
 */
async function runPacking(repo: Repo, work: (repo: Repo) => Promise<void>): Promise<void> {
  const isPacked = (await isSmall(repo)) && (await withoutWriters(repo, work))
  if (!isPacked) await withProtectedFolders(repo, () => work(repo))
  // A cat-file process does not notice a new packed-refs file with the same size and second of modification. It also keeps
  // removed packs open.
  await repo.git.catFiles.closeRepo(repo)
}

/** Runs `work` while no command writes. Returns false if earlier writers take too long; then `work` did not run. */
async function withoutWriters(repo: Repo, work: (repo: Repo) => Promise<void>): Promise<boolean> {
  const close = repo.git.openWrites.enter(repo.gitDir)
  try {
    const done = await repo.git.traffic.runExclusively([repo.key], WRITER_WAIT_MS, async () => {
      // The commands of `work` use another key, because writers of the repository's key wait.
      await work({ ...repo, gitDir: repo.gitDir, key: `${repo.key}\0packing` })
      return true
    })
    return done ?? false
  } finally {
    close()
  }
}

/** True if packing the repository takes a moment only. */
async function isSmall(repo: Repo): Promise<boolean> {
  const folder = path.join(repo.gitDir, 'objects')
  const packs = await readdir(path.join(folder, 'pack')).catch(() => [])
  const sizes = await Promise.all(
    packs.map(async (name) => (await stat(path.join(folder, 'pack', name)).catch(() => null))?.size ?? 0),
  )
  if (sizes.reduce((sum, size) => sum + size, 0) > SMALL_BYTES) return false
  // Ids are distributed evenly, so the number in one folder is a sufficient sample.
  const [sample] = FAN_OUT
  const loose = await readdir(path.join(folder, sample!)).catch(() => [])
  return loose.length * FAN_OUT.length <= SMALL_OBJECTS
}

/**
 * Runs `work` while every folder of loose objects contains a file. When git packs, it removes empty folders, even one
 * that another command has just created for an object. That command would fail with "unable to create temporary file".
 */
async function withProtectedFolders(repo: Repo, work: () => Promise<void>): Promise<void> {
  const close = repo.git.openWrites.enter(repo.gitDir)
  await Promise.all(FAN_OUT.map((name) => protectFolder(path.join(repo.gitDir, 'objects', name))))
  try {
    await work()
  } finally {
    const release = (folder: string) =>
      rm(path.join(folder, KEEP_FILE), { force: true }).catch(() => undefined)
    // The repository may have been moved in the meantime.
    const folders = FAN_OUT.map((name) => path.join(repo.gitDir, 'objects', name))
    await Promise.all(folders.map(release))
    const removeEmpty = () => Promise.all(folders.map((folder) => rmdir(folder).catch(() => undefined)))
    await repo.git.traffic.runExclusively([repo.key], WRITER_WAIT_MS, removeEmpty)
    close()
  }
}

async function protectFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder).catch(() => undefined)
    await writeFile(path.join(folder, KEEP_FILE), '')
  } catch {
    // The folder may now be removed during a write. On a full disk, git itself reports the problem.
  }
}
