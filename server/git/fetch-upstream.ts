import { git } from './args.ts'
import { isBranchName, isTagName } from './names.ts'
import { listRefs } from './refs.ts'
import { remoteArg, remoteOptions, type Remote } from './remote.ts'
import { run } from './run.ts'
import type { Repo } from './types.ts'

const BRANCHES = 'refs/internal/upstream/heads/'
const TAGS = 'refs/internal/upstream/tags/'

/** Branches and tags of another repository by their short names, with what they point to. */
export interface UpstreamRefs {
  readonly branches: ReadonlyMap<string, string>
  readonly tags: ReadonlyMap<string, string>
}

/**
 * Brings what another repository has into this one, beside its own branches and tags, which stay as they are: hidden
 * refs remember what was seen there. May be repeated after it was cut off; one run at a time. Throws GitError, or the
 * reason of the signal.
 */
export async function fetchUpstream(
  repo: Repo,
  remote: Remote,
  options: { timeoutMs: number; signal?: AbortSignal },
): Promise<UpstreamRefs> {
  const args = git`fetch --quiet --no-tags --force --prune --no-write-fetch-head ${remoteArg(remote)} +refs/heads/*:refs/internal/upstream/heads/* +refs/tags/*:refs/internal/upstream/tags/*`
  await run(repo, 'repository.fetch_upstream', args, { ...remoteOptions(remote), ...options })
  const [branches, tags] = await Promise.all([listRefs(repo, BRANCHES), listRefs(repo, TAGS)])
  return {
    branches: named(branches, BRANCHES, isBranchName),
    tags: named(tags, TAGS, isTagName),
  }
}

function named(
  refs: readonly { ref: string; oid: string }[],
  prefix: string,
  isName: (name: string) => boolean,
): Map<string, string> {
  const pairs = refs.map(({ ref, oid }) => [ref.slice(prefix.length), oid] as const)
  return new Map(pairs.filter(([name]) => isName(name)))
}
