import { git, value } from '../args.ts'
import { isBranchName } from '../names.ts'
import { remoteArg, remoteOptions, type Remote } from './remote.ts'
import { run } from '../process/run.ts'
import { DISK_ONLY } from './transfer-config.ts'
import type { Repo } from '../types.ts'

/** A repository to fetch from: on this disk or remote. */
export type FetchSource = { readonly path: string } | Remote

const LIMIT_MS = 3 * 3600 * 1000

const optionsOf = (source: FetchSource) =>
  'path' in source
    ? ({ pool: 'transfer', config: DISK_ONLY, reads: [source.path] } as const)
    : remoteOptions(source)

const argOf = (source: FetchSource) => ('path' in source ? value(source.path) : remoteArg(source))

/**
 * Replaces all branches and tags with those of another repository. All objects are copied. It may be repeated after an
 * interruption. The caller holds the write lock. Throws GitError.
 */
export async function fetchAll(
  repo: Repo,
  source: FetchSource,
  options: { signal?: AbortSignal } = {},
): Promise<void> {
  const args = git`fetch --quiet --no-tags --force --prune --no-write-fetch-head --update-head-ok ${argOf(source)} +refs/heads/*:refs/heads/* +refs/tags/*:refs/tags/*`
  await run(repo, 'repository.fetch_all', args, {
    ...optionsOf(source),
    timeoutMs: LIMIT_MS,
    signal: options.signal,
  })
  repo.git.cache.forget(repo)
}

/**
 * Fetches refs of a remote repository by `refspecs` (`+refs/heads/*:refs/heads/*`), and deletes local refs that match
 * and do not exist on the remote. It may be repeated after an interruption. The caller holds the write lock. Throws
 * GitError.
 */
export async function fetchRefs(
  repo: Repo,
  remote: Remote,
  refspecs: readonly string[],
  options: { signal?: AbortSignal } = {},
): Promise<void> {
  const args = git`fetch --quiet --no-tags --force --prune --no-write-fetch-head --update-head-ok ${remoteArg(remote)} ${refspecs.map(value)}`
  await run(repo, 'repository.fetch_all', args, {
    ...remoteOptions(remote),
    timeoutMs: LIMIT_MS,
    signal: options.signal,
  })
  repo.git.cache.forget(repo)
}

/** The default branch of another repository; null when it reports none. Throws GitError. */
export async function remoteHead(
  repo: Repo,
  source: FetchSource,
  options: { signal?: AbortSignal } = {},
): Promise<string | null> {
  const args = git`ls-remote --symref ${argOf(source)} HEAD`
  const runOptions = { ...optionsOf(source), timeoutMs: 120_000, signal: options.signal }
  const { stdout } = await run(repo, 'repository.remote_head', args, runOptions)
  const branch = /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(stdout.toString('utf8'))?.[1]
  return branch !== undefined && isBranchName(branch) ? branch : null
}
