import { git } from '../args.ts'
import { isObjectId, isRefName } from '../names.ts'
import { remoteArg, remoteOptions, type Remote } from './remote.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** How long the other side may take to say which refs it has. */
const LIMIT_MS = 10 * 60_000

/** Branches and tags of a repository elsewhere, by full name, with what they point to. Throws GitError. */
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
