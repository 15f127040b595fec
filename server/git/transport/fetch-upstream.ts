import { git } from '../args.ts'
import { isBranchName, isTagName } from '../names.ts'
import { listRefs, updateRefs } from '../write/refs.ts'
import { remoteArg, remoteOptions, type Remote, remoteRefs } from './remote.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

const HEADS = 'refs/heads/'
const BRANCHES = 'refs/internal/upstream/heads/'
const TAGS = 'refs/internal/upstream/tags/'

/** The object ids of another repository's branches and tags, by short name. */
export interface UpstreamRefs {
  readonly branches: ReadonlyMap<string, string>
  readonly tags: ReadonlyMap<string, string>
}

/**
 * Fetches the branches and tags of another repository into hidden refs. The local branches and tags do not change.
 * Branches for which `isFollowed` returns false are not fetched. It may be repeated after an interruption, but must not run
 * twice at a time. Throws GitError, or the reason of the signal.
 */
export async function fetchUpstream(
  repo: Repo,
  remote: Remote,
  options: {
    timeoutMs: number
    signal?: AbortSignal
    isFollowed?: ((branch: string) => boolean) | undefined
  },
): Promise<UpstreamRefs> {
  const { isFollowed, ...limits } = options
  if (isFollowed) await fetchFollowedBranches(repo, remote, isFollowed, limits)
  else await fetchAllBranches(repo, remote, limits)
  const [branches, tags] = await Promise.all([listRefs(repo, BRANCHES), listRefs(repo, TAGS)])
  return {
    branches: oidsByName(branches, BRANCHES, isBranchName),
    tags: oidsByName(tags, TAGS, isTagName),
  }
}

/** Removes the hidden refs of another repository, but not the branches and tags that were created from them. */
export async function forgetUpstream(repo: Repo): Promise<void> {
  const refs = await listRefs(repo, 'refs/internal/upstream/')
  await updateRefs(
    repo,
    refs.map(({ ref }) => ({ ref, new: null })),
  )
}

interface Limits {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

async function fetchAllBranches(repo: Repo, remote: Remote, limits: Limits): Promise<void> {
  const args = git`fetch --quiet --no-tags --force --prune --no-write-fetch-head ${remoteArg(remote)} +refs/heads/*:refs/internal/upstream/heads/* +refs/tags/*:refs/internal/upstream/tags/*`
  await run(repo, 'repository.fetch_upstream', args, { ...remoteOptions(remote), ...limits })
}

async function fetchFollowedBranches(
  repo: Repo,
  remote: Remote,
  isFollowed: (branch: string) => boolean,
  limits: Limits,
): Promise<void> {
  const remoteNames = [...(await remoteRefs(repo, remote, limits)).keys()]
  const targets = new Map(
    remoteNames
      .filter((ref) => !ref.startsWith(HEADS) || isFollowed(ref.slice(HEADS.length)))
      .map((ref) => [ref, `refs/internal/upstream/${ref.slice('refs/'.length)}`]),
  )
  const followed = new Set(targets.values())
  const refs = await listRefs(repo, 'refs/internal/upstream/')
  // Other refs are deleted first, because `a` and `a/b` cannot both exist.
  await updateRefs(
    repo,
    refs.filter(({ ref }) => !followed.has(ref)).map(({ ref }) => ({ ref, new: null })),
  )
  // Without a refspec git would fetch the default branch.
  if (targets.size === 0) return
  const input = [...targets].map(([ref, to]) => `+${ref}:${to}\n`).join('')
  const args = git`fetch --quiet --no-tags --force --no-write-fetch-head --stdin ${remoteArg(remote)}`
  await run(repo, 'repository.fetch_upstream', args, { ...remoteOptions(remote), ...limits, input })
}

function oidsByName(
  refs: readonly { ref: string; oid: string }[],
  prefix: string,
  isName: (name: string) => boolean,
): Map<string, string> {
  const pairs = refs.map(({ ref, oid }) => [ref.slice(prefix.length), oid] as const)
  return new Map(pairs.filter(([name]) => isName(name)))
}
