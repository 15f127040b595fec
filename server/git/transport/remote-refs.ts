import { git } from '../args.ts'
import { isObjectId, isRefName } from '../names.ts'
import { remoteArg, remoteOptions, type Remote } from './remote.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** The time limit for listing the remote's refs, in milliseconds. */
const LIMIT_MS = 10 * 60_000

/** The object ids of a remote repository's branches and tags, by full name. Throws GitError. */
export async function remoteRefs(
  repo: Repo,
  remote: Remote,
  limits: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<Map<string, string>> {
  const args = git`ls-remote --quiet --heads --tags --refs ${remoteArg(remote)}`
  const timeoutMs = Math.min(LIMIT_MS, limits.timeoutMs)
  const options = { ...remoteOptions(remote), signal: limits.signal, timeoutMs }
  const { stdout } = await run(repo, 'mirror.list', args, options)
  const lines = stdout.toString('utf8').split('\n')
  const pairs = lines.map((line) => line.split('\t') as [string, string?])
  return new Map(
    pairs.flatMap(([oid, ref]) =>
      ref !== undefined && isObjectId(oid) && isRefName(ref) ? [[ref, oid] as const] : [],
    ),
  )
}
