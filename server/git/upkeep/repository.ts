import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createDurableFolder, syncFile, syncFolder } from '../../lib/files/durable-file.ts'
import { git, option, ref } from '../args.ts'
import { GitError } from '../errors.ts'
import { branchRef } from '../names.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

const BRANCHES = 'refs/heads/'

/**
 * Creates the bare repository of the handle, with HEAD on `defaultBranch`. It is created under a temporary name and then
 * renamed, so that it is never incomplete. An existing repository is left unchanged.
 */
export async function createBareRepository(repo: Repo, options: { defaultBranch: string }): Promise<void> {
  const head = branchRef(options.defaultBranch)
  if (await repositoryExists(repo)) return
  const close = repo.git.openWrites.enter(repo.gitDir)
  try {
    await createNow(repo, head)
  } catch (error) {
    if (await repositoryExists(repo)) return
    throw error
  } finally {
    close()
  }
}

async function createNow(repo: Repo, head: string): Promise<void> {
  const folder = path.dirname(repo.gitDir)
  await createDurableFolder(folder)
  const unfinished: Repo = { ...repo, gitDir: await mkdtemp(`${repo.gitDir}.new-`) }
  try {
    if (!(await createLayout(unfinished.gitDir)))
      // The object format is set, because the installed git may have another default.
      await run(unfinished, 'repository.create', git`init --bare --quiet --template= --object-format=sha1`)
    // Writing the file saves a process for `git symbolic-ref`. `ref` refuses names that git would refuse.
    ref(head)
    await writeFile(path.join(unfinished.gitDir, 'HEAD'), `ref: ${head}\n`)
    // `core.fsync` covers objects and refs, not the files of a new repository.
    await Promise.all([
      ...['HEAD', 'config'].map((file) => syncFile(path.join(unfinished.gitDir, file))),
      ...['refs', 'objects', '.'].map((name) => syncFolder(path.join(unfinished.gitDir, name))),
    ])
    await repo.git.gates.refs.pass(() => rename(unfinished.gitDir, repo.gitDir))
    await syncFolder(folder)
  } catch (error) {
    await rm(unfinished.gitDir, { recursive: true, force: true })
    throw error
  }
}

const FOLDERS = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags']
const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n'

/**
 * Writes the files of `git init` in a tenth of its time. Returns false if git has to create them: it detects the
 * features of the file system, which differ on other systems than Linux and on case-insensitive file systems.
 */
async function createLayout(gitDir: string): Promise<boolean> {
  if (process.platform !== 'linux') return false
  await writeFile(path.join(gitDir, 'config'), CONFIG)
  if (await stat(path.join(gitDir, 'CoNfIg')).catch(() => null)) return false
  await Promise.all(FOLDERS.map((name) => mkdir(path.join(gitDir, name), { recursive: true })))
  return true
}

/**
 * Removes the repository from the disk and the caches. Its folder disappears in one step. Does nothing if the repository
 * does not exist.
 */
export function removeRepository(repo: Repo): Promise<void> {
  return repo.git.gates.removals.pass(() => removeNow(repo))
}

async function removeNow(repo: Repo): Promise<void> {
  await repo.git.catFiles.closeRepo(repo)
  repo.git.cache.forget(repo)
  const [folder, deletedPrefix] = [path.dirname(repo.gitDir), `${path.basename(repo.gitDir)}.deleted-`]
  const close = repo.git.openWrites.enter(repo.gitDir)
  try {
    if (repo.git.snapshotDirs.has(repo.gitDir)) await moveToKeptDir(repo.gitDir)
    else if (await isFolder(repo.gitDir)) {
      const temporary = await mkdtemp(path.join(folder, deletedPrefix))
      await rename(repo.gitDir, path.join(temporary, 'repository')).catch(ignoreMissing)
    }
    // The loop also removes the folders of interrupted removals.
    const names = await readdir(folder).catch(() => [])
    for (const name of names.filter((entry) => entry.startsWith(deletedPrefix)))
      await rm(path.join(folder, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  } finally {
    close()
  }
}

/** Moves a repository that a snapshot needs to another folder, which has its inode number in the name. */
async function moveToKeptDir(gitDir: string): Promise<void> {
  const stats = await stat(gitDir).catch(() => null)
  if (stats) await rename(gitDir, keptDir(gitDir, stats.ino))
}

/** The folder where a removed repository is kept for snapshots. */
export function keptDir(gitDir: string, ino: number): string {
  return path.join(path.dirname(gitDir), `.kept-${path.basename(gitDir)}-${ino}`)
}

/** Moves the repository to the folder of another handle. Throws when that folder exists. */
export async function moveRepository(from: Repo, to: Repo): Promise<void> {
  if (await isFolder(to.gitDir)) throw new Error(`The folder ${to.gitDir} already exists.`)
  await from.git.catFiles.closeRepo(from)
  from.git.cache.forget(from)
  await createDurableFolder(path.dirname(to.gitDir))
  const { gates } = from.git
  await gates.removals.pass(() => gates.refs.pass(() => rename(from.gitDir, to.gitDir)))
  await syncFolder(path.dirname(to.gitDir))
}

/** True when the folder contains all that git needs to recognize a repository. */
export async function repositoryExists(repo: Repo): Promise<boolean> {
  const parts = await Promise.all([
    stat(path.join(repo.gitDir, 'HEAD')).catch(() => null),
    isFolder(path.join(repo.gitDir, 'objects')),
    isFolder(path.join(repo.gitDir, 'refs')),
  ])
  return parts.every(Boolean)
}

/** The size and number of a repository's objects on disk. */
export interface ObjectCounts {
  readonly bytes: number
  /** The number of loose objects. */
  readonly loose: number
  readonly packs: number
}

/** Counts objects and packs. With the environment of a push, counts the objects of that push. */
export async function countObjects(
  repo: Repo,
  { env = {} }: { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ObjectCounts> {
  const { stdout } = await run(repo, 'repository.size', git`count-objects -v`, { env })
  const counts = new Map(
    [...stdout.toString('utf8').matchAll(/^([a-z-]+): (\d+)$/gm)].map((match) => [
      match[1],
      Number(match[2]),
    ]),
  )
  const sizes = ['size', 'size-pack', 'size-garbage'].map((name) => counts.get(name) ?? 0)
  const kibibytes = sizes.reduce((sum, size) => sum + size, 0)
  return { bytes: kibibytes * 1024, loose: counts.get('count') ?? 0, packs: counts.get('packs') ?? 0 }
}

/** The size of the repository's objects on disk, in bytes. */
export async function repositorySize(repo: Repo): Promise<number> {
  return (await countObjects(repo)).bytes
}

/** The ref that HEAD points to, such as `refs/heads/main`; the branch need not exist. Null when HEAD is detached. */
export async function readHead(repo: Repo): Promise<string | null> {
  const text = await readFile(path.join(repo.gitDir, 'HEAD'), 'utf8').catch(() => '')
  const [, branch] = /^ref: (refs\/heads\/[^\s]+)\n$/.exec(text) ?? []
  if (branch !== undefined) return branch
  const { code, stdout } = await run(repo, 'head.read', git`symbolic-ref --quiet HEAD`, { ok: [0, 1] })
  return code === 0 ? stdout.toString('utf8').trim() : null
}

/** Points HEAD to a branch (short name), which need not exist. */
export async function writeHead(repo: Repo, branch: string): Promise<void> {
  const args = git`symbolic-ref HEAD ${ref(branchRef(branch))}`
  await repo.git.gates.refs.pass(() => run(repo, 'head.write', args))
}

/** True when the repository has at least one branch. */
export async function hasBranches(repo: Repo): Promise<boolean> {
  const { stdout } = await run(
    repo,
    'branches.any',
    git`for-each-ref --count=1 ${option('--format', '%(refname)')} refs/heads/`,
  )
  return stdout.toString('utf8').startsWith(BRANCHES)
}

/** True when the repository has no refs at all. */
export async function isEmpty(repo: Repo): Promise<boolean> {
  const { stdout } = await run(repo, 'refs.any', git`for-each-ref --count=1`)
  return stdout.length === 0
}

/** Runs `work` as the only writer of the repository in this engine. Do not nest calls. */
export function withWriteLock<T>(repo: Repo, work: () => Promise<T>): Promise<T> {
  return repo.git.locks.run(repo.key, () => repo.git.gates.writers.pass(work))
}

/** Checks all objects and their references. Returns the errors of git by line; empty when the repository is intact. */
export async function verifyRepository(repo: Repo): Promise<string[]> {
  const args = git`fsck --full --no-dangling --no-progress`
  const { code, stdout, stderr } = await run(repo, 'repository.verify', args, {
    ok: [0, 1, 2, 3, 4, 5, 6, 7],
    timeoutMs: 3_600_000,
  })
  if (code === 0) return []
  const lines = `${stdout.toString('utf8')}\n${stderr}`.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0)
    throw new GitError({ operation: 'repository.verify', args: args.words, reason: 'exit', code })
  return lines
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

async function isFolder(file: string): Promise<boolean> {
  const info = await stat(file).catch(() => null)
  return info?.isDirectory() ?? false
}

/** The first error of git about missing objects that refs need; undefined if the repository is intact. */
export async function damageIn(repo: Repo): Promise<string | undefined> {
  const { code, stdout, stderr } = await run(
    repo,
    'repository.connectivity',
    git`fsck --connectivity-only --no-dangling --no-progress`,
    { ok: Array.from({ length: 129 }, (_, index) => index), timeoutMs: 3_600_000 },
  )
  if (code === 0) return undefined
  const [line] = `${stderr}\n${stdout.toString('utf8')}`.split('\n').filter((entry) => entry.trim() !== '')
  return line ?? 'git could not read it'
}
