import { cacheCommits, type Commit } from '../read/commits.ts'
import { readPlainCommit } from './commit.ts'
import { readTree } from '../write/tree-object.ts'
import type { Repo } from '../types.ts'

/** After this many commits git is used, which reads many commits faster. */
const MAX_STEPS = 128
/** The maximum number of commits that may be read; the others have to be cached. */
const MAX_READ = 24
/** With larger folders git is used, too. */
const MAX_ITEMS = 5000

/**
 * Follows a linear history: every commit has one parent, so the order is clear. Most requests are about the newest
 * commits, and the answer for their parents is cached. Ends early where git is needed.
 */
async function* lineFrom(repo: Repo, tip: string): AsyncGenerator<Commit> {
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
 * The first `count` commits from `tip` down to `end` (excluded) or to the root. Undefined if the history is not
 * linear.
 */
export async function linearHistory(
  repo: Repo,
  { tip, end, count = MAX_STEPS }: { tip: string; end: string | undefined; count?: number },
): Promise<Commit[] | undefined> {
  const line: Commit[] = []
  if (count > MAX_STEPS) return undefined
  if (tip === end) return line
  for await (const commit of lineFrom(repo, tip)) {
    line.push(commit)
    const isWhole = commit.parent_ids.length === 0 || line.length === count
    if (end === undefined && isWhole) return line
    // Only commits above `end` are certainly not reachable from it.
    if (end !== undefined && commit.parent_ids.length === 1 && commit.parent_ids[0] === end)
      return line.slice(0, count)
  }
  return undefined
}

/**
 * The newest commit from `tip` down that changed the entry at a path, null when none did. `cachedAt` returns the cached
 * answer of a commit. Undefined if git is needed.
 */
export async function lastOnLine(
  repo: Repo,
  { tip, path }: { tip: string; path: string },
  cachedAt: (commit: string) => string | null | undefined,
): Promise<string | null | undefined> {
  const names = path.split('/').map((name) => Buffer.from(name, 'utf8').toString('latin1'))
  let above: Commit | undefined
  for await (const commit of lineFrom(repo, tip)) {
    const isSame = above === undefined || (await isSameIn(repo, names, [above.tree_id, commit.tree_id]))
    if (isSame === undefined) return undefined
    if (!isSame) return above!.id
    const answer = cachedAt(commit.id)
    if (answer !== undefined) return answer
    if (commit.parent_ids.length === 0) {
      const there = await stepInto(repo, commit.tree_id, names)
      return there === undefined ? undefined : there === '' ? null : commit.id
    }
    above = commit
  }
  return undefined
}

/** Up to `count` commit ids from `tip` downwards, as far as they are cached or quickly read. */
export async function topOfLine(repo: Repo, tip: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for await (const commit of lineFrom(repo, tip)) if (ids.push(commit.id) === count) break
  return ids
}

/** The number of commits in the history of `tip`, when it is known for an ancestor on its line. */
export async function countOnLine(
  repo: Repo,
  tip: string,
  cachedAt: (commit: string) => number | undefined,
): Promise<number | undefined> {
  let above = 0
  for await (const commit of lineFrom(repo, tip)) {
    const count = cachedAt(commit.id) ?? (commit.parent_ids.length === 0 ? 1 : undefined)
    if (count !== undefined) return above + count
    above++
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
    const [one, other] = await Promise.all([stepInto(repo, left, [name]), stepInto(repo, right, [name])])
    if (one === undefined || other === undefined) return undefined
    ;[left, right] = [one, other]
  }
  return left === right
}

/** Id and mode of the entry at a path of a tree; empty for none, undefined if a folder is too large. */
async function stepInto(repo: Repo, from: string, names: readonly string[]): Promise<string | undefined> {
  let at = from
  for (const name of names) {
    const [id, mode] = at.split(' ')
    if (at === '' || (mode !== undefined && mode !== '040000')) return ''
    const tree = await readTree(repo, id!)
    if (tree === null || tree.items.length > MAX_ITEMS) return undefined
    const item = tree.findBytes(name)
    at = item === undefined ? '' : `${item.id} ${item.mode}`
  }
  return at
}
