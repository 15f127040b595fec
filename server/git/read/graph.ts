import { git, sha } from '../args.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** The best common ancestors of two commits (full ids); empty when there is none. The result is cached. */
export async function mergeBases(repo: Repo, a: string, b: string): Promise<readonly string[]> {
  const key = `${a} ${b}`
  const cached = repo.git.cache.get<readonly string[]>(repo, 'merge-bases', key)
  if (cached !== undefined) return cached
  const args = git`merge-base --all ${sha(a)} ${sha(b)}`
  const { stdout } = await run(repo, 'commits.merge_base', args, { ok: [0, 1] })
  const content = lines(stdout)
  return repo.git.cache.set(repo, 'merge-bases', key, { content, bytes: 400 })
}

/** The best common ancestor of two commits, or null. */
export async function mergeBase(repo: Repo, a: string, b: string): Promise<string | null> {
  return (await mergeBases(repo, a, b))[0] ?? null
}

/** The best common ancestor of two or more commits, or null. */
export async function mergeBaseOf(repo: Repo, commits: readonly string[]): Promise<string | null> {
  const args = git`merge-base --octopus ${commits.map(sha)}`
  const { stdout } = await run(repo, 'commits.merge_base', args, { ok: [0, 1] })
  return lines(stdout)[0] ?? null
}

/** True when `commit` is `tip` or one of its ancestors. `env` is the quarantine of a push that contains `tip`. */
export async function isAncestor(
  repo: Repo,
  commit: string,
  tip: string,
  options: { env?: Readonly<Record<string, string>> } = {},
): Promise<boolean> {
  if (commit === tip) return true
  const args = git`merge-base --is-ancestor ${sha(commit)} ${sha(tip)}`
  return (await run(repo, 'commits.is_ancestor', args, { ok: [0, 1], env: options.env })).code === 0
}

/** The numbers of commits that only `a` (`ahead`) and only `b` (`behind`) has. The result is cached. */
export async function divergence(
  repo: Repo,
  a: string,
  b: string,
): Promise<{ readonly ahead: number; readonly behind: number }> {
  const key = `${a} ${b}`
  const cached = repo.git.cache.get<{ ahead: number; behind: number }>(repo, 'divergence', key)
  if (cached !== undefined) return cached
  const args = git`rev-list --count --left-right ${sha(a)}...${sha(b)}`
  const { stdout } = await run(repo, 'commits.divergence', args)
  const [ahead = 0, behind = 0] = stdout.toString('utf8').trim().split('\t').map(Number)
  return repo.git.cache.set(repo, 'divergence', key, { content: { ahead, behind }, bytes: 300 })
}

function lines(output: Buffer): string[] {
  return output
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
}
