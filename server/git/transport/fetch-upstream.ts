import { git } from '../args.ts'
import { isBranchName, isTagName } from '../names.ts'
import { listRefs, updateRefs } from '../write/refs.ts'
import { remoteArg, remoteOptions, type Remote } from './remote.ts'
import { remoteRefs } from './remote-refs.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

const HEADS = 'refs/heads/'
const BRANCHES = 'refs/internal/upstream/heads/'
const TAGS = 'refs/internal/upstream/tags/'

/** Branches and tags of another repository by their short names, with what they point to. */
export interface UpstreamRefs {
  readonly branches: ReadonlyMap<string, string>
  readonly tags: ReadonlyMap<string, string>
}

/**
 * Brings what another repository has into this one, beside its own branches and tags, which stay as they are: hidden
 * refs remember what was seen there. Of branches that are not wanted nothing comes here. May be repeated after it was
 * cut off; one run at a time. Throws GitError, or the reason of the signal.
 */
export async function fetchUpstream(
  repo: Repo,
  remote: Remote,
  options: { timeoutMs: number; signal?: AbortSignal; isWanted?: ((branch: string) => boolean) | undefined },
): Promise<UpstreamRefs> {
  const { isWanted, ...limits } = options
  if (isWanted) await fetchSome(repo, remote, isWanted, limits)
  else await fetchEverything(repo, remote, limits)
  const [branches, tags] = await Promise.all([listRefs(repo, BRANCHES), listRefs(repo, TAGS)])
  return {
    branches: named(branches, BRANCHES, isBranchName),
    tags: named(tags, TAGS, isTagName),
  }
}

/** Forgets what was seen of another repository; branches and tags that came from there stay. */
export async function forgetUpstream(repo: Repo): Promise<void> {
  const known = await listRefs(repo, 'refs/internal/upstream/')
  await updateRefs(
    repo,
    known.map(({ ref }) => ({ ref, new: null })),
  )
}

interface Limits {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

async function fetchEverything(repo: Repo, remote: Remote, limits: Limits): Promise<void> {
  const args = git`fetch --quiet --no-tags --force --prune --no-write-fetch-head ${remoteArg(remote)} +refs/heads/*:refs/internal/upstream/heads/* +refs/tags/*:refs/internal/upstream/tags/*`
  await run(repo, 'repository.fetch_upstream', args, { ...remoteOptions(remote), ...limits })
}

async function fetchSome(
  repo: Repo,
  remote: Remote,
  isWanted: (branch: string) => boolean,
  limits: Limits,
): Promise<void> {
  const there = [...(await remoteRefs(repo, remote, limits)).keys()]
  const wanted = new Map(
    there
      .filter((ref) => !ref.startsWith(HEADS) || isWanted(ref.slice(HEADS.length)))
      .map((ref) => [ref, `refs/internal/upstream/${ref.slice('refs/'.length)}`]),
  )
  const kept = new Set(wanted.values())
  const known = await listRefs(repo, 'refs/internal/upstream/')
  // What is gone makes room: `a` and `a/b` cannot both be.
  await updateRefs(
    repo,
    known.filter(({ ref }) => !kept.has(ref)).map(({ ref }) => ({ ref, new: null })),
  )
  // Without a ref to fetch git would take the default branch.
  if (wanted.size === 0) return
  const input = [...wanted].map(([ref, to]) => `+${ref}:${to}\n`).join('')
  const args = git`fetch --quiet --no-tags --force --no-write-fetch-head --stdin ${remoteArg(remote)}`
  await run(repo, 'repository.fetch_upstream', args, { ...remoteOptions(remote), ...limits, input })
}

function named(
  refs: readonly { ref: string; oid: string }[],
  prefix: string,
  isName: (name: string) => boolean,
): Map<string, string> {
  const pairs = refs.map(({ ref, oid }) => [ref.slice(prefix.length), oid] as const)
  return new Map(pairs.filter(([name]) => isName(name)))
}
