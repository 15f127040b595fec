import { keepCommits, type Commit } from '../read/commits.ts'
import { readPlainCommit } from './commit.ts'
import { readTree } from '../write/tree-object.ts'
import type { Repo } from '../types.ts'

/** How far down a line is followed before git is asked, which reads many commits faster. */
const MAX_STEPS = 128
/** How many of them may be read for it; the others are known. */
const MAX_READ = 24
/** Larger folders are left to git, too. */
const MAX_ITEMS = 5000

/**
 * Follows a history as long as every commit has one parent, so that its order needs no rule: most questions are about the
 * newest commits, and the answer for the commit below is known. Ends early where git has to be asked.
 */
async function* lineFrom(repo: Repo, tip: string): AsyncGenerator<Commit> {
  let unread = MAX_READ
  let next: string | undefined = tip
  for (let step = 0; next !== undefined && step < MAX_STEPS; step++) {
    let commit: Commit | null | undefined = repo.git.cache.get<Commit>(repo, 'commit', next)
    if (commit === undefined) {
      commit = unread-- > 0 ? await readPlainCommit(repo, next).catch(() => null) : null
      if (commit !== null) keepCommits(repo, [commit])
    }
    if (commit === null) return
    yield commit
    next = commit.parent_ids.length === 1 ? commit.parent_ids[0] : undefined
  }
}

/**
 * The first `count` commits of the line from `tip` down to `end`, which does not belong to it, or to the first of all.
 * Undefined where the history is not such a line.
 */
export async function lineOf(
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
    // Only what stands above the end on its line is sure not to be part of it.
    if (end !== undefined && commit.parent_ids.length === 1 && commit.parent_ids[0] === end)
      return line.slice(0, count)
  }
  return undefined
}

/**
 * The newest commit of the line from `tip` that changed what stands at a path, null when none did; `known` answers for the
 * commits below. Undefined where git has to be asked.
 */
export async function lastOnLine(
  repo: Repo,
  { tip, path }: { tip: string; path: string },
  known: (commit: string) => string | null | undefined,
): Promise<string | null | undefined> {
  const names = path.split('/').map((name) => Buffer.from(name, 'utf8').toString('latin1'))
  let above: Commit | undefined
  for await (const commit of lineFrom(repo, tip)) {
    const isSame = above === undefined || (await isSameIn(repo, names, [above.tree_id, commit.tree_id]))
    if (isSame === undefined) return undefined
    if (!isSame) return above!.id
    const answer = known(commit.id)
    if (answer !== undefined) return answer
    if (commit.parent_ids.length === 0) {
      const there = await stepInto(repo, commit.tree_id, names)
      return there === undefined ? undefined : there === '' ? null : commit.id
    }
    above = commit
  }
  return undefined
}

/** Up to `count` ids of commits from `tip` downwards, as far as its line is known or quickly read. */
export async function topOfLine(repo: Repo, tip: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for await (const commit of lineFrom(repo, tip)) if (ids.push(commit.id) === count) break
  return ids
}

/** How many commits lead to `tip`, where that is known of one below it on its line. */
export async function countOnLine(
  repo: Repo,
  tip: string,
  known: (commit: string) => number | undefined,
): Promise<number | undefined> {
  let above = 0
  for await (const commit of lineFrom(repo, tip)) {
    const count = known(commit.id) ?? (commit.parent_ids.length === 0 ? 1 : undefined)
    if (count !== undefined) return above + count
    above++
  }
  return undefined
}

/** Whether the same stands at a path of two trees; undefined where a folder is too large to look. */
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

/** Mode and id of what stands at a path below a folder, as one word; empty for nothing, undefined for folders too large. */
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
