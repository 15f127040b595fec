import { git, option, path as pathArg, sha } from '../args.ts'
import { splitNul } from '../parse.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** Commits that a file is followed through at most. */
const MAX_COMMITS = 10_000

/**
 * What a file of `tip` was called as of an older commit that changed it, followed through renames; null where the commit
 * is not among those.
 */
export async function followedPath(
  repo: Repo,
  { tip, path, commit }: { readonly tip: string; readonly path: string; readonly commit: string },
): Promise<string | null> {
  const args = git`log -z --follow --name-only ${option('--format', '%x00%H')} ${option('--max-count', MAX_COMMITS)}
    ${sha(tip)} -- ${pathArg(path)}`
  const { stdout } = await run(repo, 'commits.follow', args)
  // Before the names that a commit changed stands its id; a line end separates the two.
  const tokens = splitNul(stdout).map((token) => token.replace(/^\n/, ''))
  const at = tokens.indexOf(commit)
  const name = at === -1 ? undefined : tokens.slice(at + 1).find((token) => token !== '')
  return name ?? null
}
