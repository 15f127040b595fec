import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { git, option, sha } from '../args.ts'
import { COMMIT_FORMAT, parseCommits } from '../read/commits.ts'
import type { Commit } from '../read/commits.ts'
import { GitError } from '../errors.ts'
import { nulBatches, splitNul } from '../parse.ts'
import { open, run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/**
 * New objects that no ref points to yet: those of a push in quarantine, or of a commit through the API before its branch
 * is updated.
 */
export interface PushedObjects {
  /** The new values of the refs (full ids), without deletions. */
  readonly tips: readonly string[]
  /** The environment variables of the quarantine; missing when the objects are in the repository already. */
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

const LINE_END = 10
const MAX_LIST_BYTES = 512 * 1024 * 1024

/** The new commits, newest first, at most `limit`. */
export async function newCommits(repo: Repo, pushed: PushedObjects, limit: number): Promise<Commit[]> {
  if (pushed.tips.length === 0) return []
  const args = git`log -z ${COMMIT_FORMAT} ${option('--max-count', limit)} --stdin --not --all`
  const { stdout } = await run(repo, 'push.commits', args, runOptions(pushed))
  return parseCommits(stdout)
}

/** The paths of files that the new commits add or change; for a merge only those that differ from all parents. */
export async function newPaths(repo: Repo, pushed: PushedObjects): Promise<Set<string>> {
  if (pushed.tips.length === 0) return new Set()
  const format = option('--format', '')
  const args = git`log -z ${format} --name-only -c --diff-filter=d --no-renames --no-ext-diff --stdin --not --all`
  const { stdout } = await run(repo, 'push.paths', args, runOptions(pushed))
  // Between the lists of two commits git writes an empty record and a line end.
  return new Set(splitNul(stdout).filter((file) => file !== ''))
}

export interface LargeBlob {
  readonly id: string
  /** One of the paths of the blob; null when it is not part of a tree. */
  readonly path: string | null
}

/**
 * Excludes commits that are reachable from branches and tags. The refs of merge requests do not count, because their
 * commits may come from forks.
 */
export const EXCLUDE_KNOWN = git`--not --branches --tags`

/** The new files of at least `bytes`. */
export async function largeBlobs(repo: Repo, pushed: PushedObjects, bytes: number): Promise<LargeBlob[]> {
  if (pushed.tips.length === 0) return []
  const isQuarantined = pushed.env?.['GIT_QUARANTINE_PATH'] !== undefined && (await areAllNew(repo, pushed))
  const ids = await (isQuarantined
    ? largeInQuarantine(repo, pushed, bytes)
    : largeInWalk(repo, pushed, bytes))
  if (ids.size === 0) return []
  const paths = await pathsOf(repo, pushed, ids)
  return [...ids].map((id) => ({ id, path: paths.get(id) || null }))
}

/** False when the repository already has some of the commits, such as the head of a merge request. */
async function areAllNew(repo: Repo, pushed: PushedObjects): Promise<boolean> {
  const counts = [EXCLUDE_KNOWN, git`--not --all`].map(async (excluded) => {
    const { stdout } = await run(
      repo,
      'push.count',
      git`rev-list --count --stdin ${excluded}`,
      runOptions(pushed),
    )
    return stdout.toString('latin1').trim()
  })
  const [notOnBranches, notOnRefs] = await Promise.all(counts)
  return notOnBranches === notOnRefs
}

async function largeInWalk(repo: Repo, pushed: PushedObjects, bytes: number): Promise<Set<string>> {
  const filter = git`${option('--filter', `blob:limit=${bytes}`)} --filter-provided-objects --filter-print-omitted`
  const args = git`rev-list --objects ${filter} --stdin ${EXCLUDE_KNOWN}`
  const { stdout } = await run(repo, 'push.large_blobs', args, runOptions(pushed))
  return new Set([...stdout.toString('latin1').matchAll(/^~([0-9a-f]{40,64})$/gm)].map((match) => match[1]!))
}

/** Lists the objects of the quarantine, which is many times faster than a walk through trees. */
async function largeInQuarantine(repo: Repo, pushed: PushedObjects, bytes: number): Promise<Set<string>> {
  const env = { ...pushed.env, GIT_ALTERNATE_OBJECT_DIRECTORIES: '' }
  const format = option('--batch-check', '%(objecttype) %(objectsize) %(objectname)')
  const args = git`cat-file --batch-all-objects --unordered --buffer ${format}`
  const stream = await open(repo, 'push.large_blobs', args, { env, signal: pushed.signal })
  const ids = new Set<string>()
  for await (const lines of nulBatches(stream.stdout, LINE_END)) {
    for (const line of lines) {
      const [, size, id] = /^blob (\d+) ([0-9a-f]+)$/.exec(line.toString('latin1')) ?? []
      if (id === undefined || Number(size) < bytes) continue
      // The pack of a push may contain objects that the repository already has.
      if ((await repo.git.catFiles.info(repo, id)) === null) ids.add(id)
    }
  }
  await stream.done
  return ids
}

/** One path of each object, by id. It takes long, so it is only called when there are objects to report. */
async function pathsOf(
  repo: Repo,
  pushed: PushedObjects,
  ids: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const args = git`rev-list --objects --stdin ${EXCLUDE_KNOWN}`
  const stream = await open(repo, 'push.objects', args, runOptions(pushed))
  const paths = new Map<string, string>()
  for await (const lines of nulBatches(stream.stdout, LINE_END)) {
    for (const line of lines) {
      const text = line.toString('utf8')
      const space = text.indexOf(' ')
      if (space >= 0 && ids.has(text.slice(0, space))) paths.set(text.slice(0, space), text.slice(space + 1))
    }
    if (paths.size < ids.size) continue
    stream.stop()
    break
  }
  await stream.done
  return paths
}

/** A file of a new commit. */
export interface FileOfNewCommit {
  readonly path: string
  /** The size in bytes; null for a submodule. */
  readonly size: number | null
}

const FILE = /^\d{6} \w+ [0-9a-f]+ +(\d+|-)\t(.*)$/s

/**
 * The files of the first tip, with symbolic links and submodules. Stops soon after `limit` files. Empty when the tip is
 * not a commit.
 */
export async function filesOfNewCommit(
  repo: Repo,
  pushed: PushedObjects,
  limit: number,
): Promise<FileOfNewCommit[]> {
  const { env, signal } = pushed
  const args = git`ls-tree -r -l -z --full-tree ${sha(pushed.tips[0]!)}`
  const stream = await open(repo, 'push.files', args, { env, signal })
  const files: FileOfNewCommit[] = []
  for await (const batch of nulBatches(stream.stdout)) {
    for (const record of batch) {
      const [, size, file] = FILE.exec(record.toString('utf8')) ?? []
      if (file !== undefined) files.push({ path: file, size: size === '-' ? null : Number(size) })
    }
    // A small tree can expand to millions of files.
    if (files.length < limit) continue
    stream.stop()
    break
  }
  await stream.done.catch((error: unknown) => {
    if (!(error instanceof GitError && error.stderr.includes('not a tree object'))) throw error
  })
  return files
}

/** The size of a push's objects in quarantine, in bytes. */
export async function quarantineSize(env: Readonly<Record<string, string>>): Promise<number> {
  const folder = env['GIT_QUARANTINE_PATH']
  if (folder === undefined) return 0
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map((entry) => stat(path.join(entry.parentPath, entry.name))))
  return sizes.reduce((sum, info) => sum + info.size, 0)
}

function runOptions(pushed: PushedObjects) {
  const input = pushed.tips.map((tip) => `${sha(tip).text}\n`).join('')
  return { input, env: pushed.env, signal: pushed.signal, maxBytes: MAX_LIST_BYTES }
}
