import { git, option, path as pathArg, sha } from '../args.ts'
import { splitNul } from '../parse.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** The maximum number of commits that are searched. */
const MAX_COMMITS = 10_000

/**
 * The path that a file of `tip` had in an older commit, followed through renames. Null when that commit did not change
 * the file.
 */
export async function followedPath(
  repo: Repo,
  { tip, path, commit }: { readonly tip: string; readonly path: string; readonly commit: string },
): Promise<string | null> {
  const args = git`log -z --follow --name-only ${option('--format', '%x00%H')} ${option('--max-count', MAX_COMMITS)}
    ${sha(tip)} -- ${pathArg(path)}`
  const { stdout } = await run(repo, 'commits.follow', args)
  // The id of a commit precedes the paths that it changed, with a line end between them.
  const tokens = splitNul(stdout).map((token) => token.replace(/^\n/, ''))
  const at = tokens.indexOf(commit)
  const name = at === -1 ? undefined : tokens.slice(at + 1).find((token) => token !== '')
  return name ?? null
}
