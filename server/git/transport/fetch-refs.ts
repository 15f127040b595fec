import { git, value } from '../args.ts'
import { remoteArg, remoteOptions, type Remote } from './remote.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

const LIMIT_MS = 3 * 3600 * 1000

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
