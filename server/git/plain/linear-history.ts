import { cacheCommits, type Commit } from '../read/commits.ts'
import { readPlainCommit } from './commit.ts'
import { readTree } from '../write/tree-object.ts'
import type { Repo } from '../types.ts'

/** The maximum number of commits to walk. A git process reads more commits faster. */
const MAX_STEPS = 128
/** The maximum number of commits to read from the repository; the others have to be cached. */
const MAX_READ = 24
/** The maximum number of entries of a folder. A git process reads larger folders faster. */
const MAX_ITEMS = 5000

/**
 * Walks a linear history, in which every commit has one parent, so that the order is clear. Most requests are about the
 * newest commits, and the results for their parents are cached. Ends early at a commit that only git can interpret.
 */
async function* linearCommits(repo: Repo, tip: string): AsyncGenerator<Commit> {
  let unread = MAX_READ
  let next: string | undefined = tip
  for (let step = 0; next !== undefined && step < MAX_STEPS; step++) {
    let commit: Commit | null | undefined = repo.git.cache.get<Commit>(repo, 'commit', next)
    if (commit === undefined) {
      commit = unread-- > 0 ? await readPlainCommit(repo, next).catch(() => null) : null
      if (commit !== null) cacheCommits(repo, [commit])
    }
    if (commit === null) return
    yield commit
    next = commit.parent_ids.length === 1 ? commit.parent_ids[0] : undefined
  }
}

/**
 * The newest `count` commits from `tip` down to `end` (excluded) or to the root. Undefined if the history is not linear
 * or only git can read it.
 */
export async function linearHistory(
  repo: Repo,
  { tip, end, count = MAX_STEPS }: { tip: string; end: string | undefined; count?: number },
): Promise<Commit[] | undefined> {
  const commits: Commit[] = []
  if (count > MAX_STEPS) return undefined
  if (tip === end) return commits
  for await (const commit of linearCommits(repo, tip)) {
    commits.push(commit)
    const isComplete = commit.parent_ids.length === 0 || commits.length === count
    if (end === undefined && isComplete) return commits
    // Until the walk meets `end`, a commit may also be reachable from it.
    if (end !== undefined && commit.parent_ids.length === 1 && commit.parent_ids[0] === end)
      return commits.slice(0, count)
  }
  return undefined
}

/**
 * The newest commit from `tip` down that changed the entry at a path; null when none did. `cachedAt` returns the cached
 * result for a commit. Undefined if git has to find it.
 */
export async function lastLinearChange(
  repo: Repo,
  { tip, path }: { tip: string; path: string },
  cachedAt: (commit: string) => string | null | undefined,
): Promise<string | null | undefined> {
  const names = path.split('/').map((name) => Buffer.from(name, 'utf8').toString('latin1'))
  let child: Commit | undefined
  for await (const commit of linearCommits(repo, tip)) {
    const isSame = child === undefined || (await isSameIn(repo, names, [child.tree_id, commit.tree_id]))
    if (isSame === undefined) return undefined
    if (!isSame) return child!.id
    const cached = cachedAt(commit.id)
    if (cached !== undefined) return cached
    if (commit.parent_ids.length === 0) {
      const entry = await entryAt(repo, commit.tree_id, names)
      return entry === undefined ? undefined : entry === '' ? null : commit.id
    }
    child = commit
  }
  return undefined
}

/** Up to `count` commit ids from `tip` downwards. Fewer, if the history is not linear or the others take long to read. */
export async function newestLinearIds(repo: Repo, tip: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for await (const commit of linearCommits(repo, tip)) if (ids.push(commit.id) === count) break
  return ids
}

/** The number of commits in the history of `tip`; undefined unless it is known for an ancestor in the linear history. */
export async function linearCount(
  repo: Repo,
  tip: string,
  cachedAt: (commit: string) => number | undefined,
): Promise<number | undefined> {
  let newer = 0
  for await (const commit of linearCommits(repo, tip)) {
    const count = cachedAt(commit.id) ?? (commit.parent_ids.length === 0 ? 1 : undefined)
    if (count !== undefined) return newer + count
    newer++
  }
  return undefined
}

/** True when two trees have the same entry at a path; undefined if a folder is too large. */
async function isSameIn(
  repo: Repo,
  names: readonly string[],
  trees: readonly [string, string],
): Promise<boolean | undefined> {
  let [left, right] = trees
  for (const name of names) {
    if (left === right) return true
    const [leftEntry, rightEntry] = await Promise.all([
      entryAt(repo, left, [name]),
      entryAt(repo, right, [name]),
    ])
    if (leftEntry === undefined || rightEntry === undefined) return undefined
    ;[left, right] = [leftEntry, rightEntry]
  }
  return left === right
}

/** Id and mode of the entry at a path of a tree; empty for none, undefined if a folder is too large. */
async function entryAt(repo: Repo, tree: string, names: readonly string[]): Promise<string | undefined> {
  let entry = tree
  for (const name of names) {
    const [id, mode] = entry.split(' ')
    if (entry === '' || (mode !== undefined && mode !== '040000')) return ''
    const folder = await readTree(repo, id!)
    if (folder === null || folder.items.length > MAX_ITEMS) return undefined
    const item = folder.findBytes(name)
    entry = item === undefined ? '' : `${item.id} ${item.mode}`
  }
  return entry
}
