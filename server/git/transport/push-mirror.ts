import { git, option, value } from '../args.ts'
import type { Args } from '../args.ts'
import { GitError } from '../errors.ts'
import { planPush, type MirrorChange, type MirrorRules } from './push-mirror-plan.ts'
import { listRefs } from '../write/refs.ts'
import { remoteArg, remoteOptions, type Remote, remoteRefs } from './remote.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

export type { MirrorRules } from './push-mirror-plan.ts'

/** The remote refused some or all refs. */
export class PushRejected extends Error {
  override readonly name = 'PushRejected'
  /** One line for each ref: its name and the reason. */
  readonly problems: readonly string[]
  /** The remote's own messages. */
  readonly output: readonly string[]

  constructor(problems: readonly string[], output: readonly string[]) {
    super(`The remote refused ${problems.join(', ')}`)
    this.problems = problems
    this.output = output
  }
}

/** The result of a mirror update. */
export interface MirrorResult {
  /** The diverged refs, by full name. They were not changed on the remote. */
  readonly diverged: readonly string[]
  /** The refs that were changed on the remote. */
  readonly changed: readonly string[]
}

/** The maximum length of the refs in the arguments of one push, so that they fit into a command line of Windows. */
const MAX_ARGUMENTS = 24_000

/**
 * Makes the branches and tags of a remote equal to those of this repository, within the rules. Equal refs are not pushed,
 * so that two repositories that mirror each other stop pushing. Every change requires the value that the remote has
 * reported, so that it does not overwrite a newer push. Throws GitError, the reason of the signal, or PushRejected after
 * all other refs were pushed.
 */
export async function pushMirror(
  repo: Repo,
  remote: Remote,
  options: MirrorRules & { timeoutMs: number; signal?: AbortSignal },
): Promise<MirrorResult> {
  const deadline = performance.now() + options.timeoutMs
  const { signal } = options
  const limits = () => ({ signal, timeoutMs: Math.max(1, deadline - performance.now()) })
  const remoteOids = await remoteRefs(repo, remote, limits())
  const local = await Promise.all([listRefs(repo, 'refs/heads/'), listRefs(repo, 'refs/tags/')])
  const plan = await planPush(
    repo,
    new Map(local.flat().map((refValue) => [refValue.ref, refValue.oid])),
    remoteOids,
    options,
  )
  const problems: string[] = []
  const output: string[] = []
  for (const batch of batchesOf(plan.changes)) {
    const result = await pushBatch(repo, remote, batch, limits())
    problems.push(...result.problems)
    output.push(...result.output)
  }
  if (problems.length > 0) throw new PushRejected(problems, [...new Set(output)])
  return { diverged: plan.diverged, changed: plan.changes.map((change) => change.ref) }
}

function batchesOf(changes: readonly MirrorChange[]): MirrorChange[][] {
  const batches: MirrorChange[][] = []
  let size = MAX_ARGUMENTS
  for (const change of changes) {
    // The name occurs twice in the arguments, with two ids.
    const length = 2 * change.ref.length + 120
    if (size + length > MAX_ARGUMENTS) {
      batches.push([])
      size = 0
    }
    batches.at(-1)!.push(change)
    size += length
  }
  return batches
}

function pushArgs(remote: Remote, changes: readonly MirrorChange[]): Args {
  const leases = changes.map(({ ref, old }) => option('--force-with-lease', `${ref}:${old ?? ''}`))
  const refspecs = changes.map(({ ref, new: to }) => value(`${to ?? ''}:${ref}`))
  return git`push --porcelain --no-progress --no-verify --no-recurse-submodules ${leases} ${remoteArg(remote)} ${refspecs}`
}

async function pushBatch(
  repo: Repo,
  remote: Remote,
  changes: readonly MirrorChange[],
  limits: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<{ problems: string[]; output: string[] }> {
  const args = pushArgs(remote, changes)
  const options = { ...remoteOptions(remote), ...limits, ok: [0, 1] }
  const { code, stdout, stderr } = await run(repo, 'mirror.push', args, options)
  if (code === 0) return { problems: [], output: [] }
  const problems = rejections(stdout.toString('utf8'))
  // If git lists no refused refs, the push itself failed.
  if (problems.length === 0)
    throw new GitError({ operation: 'mirror.push', args: args.words, reason: 'exit', code, stderr })
  return { problems, output: stderr.split('\n').filter((line) => line.startsWith('remote:')) }
}

/** Lists the refused refs: `!<tab>from:to<tab>[remote rejected] (pre-receive hook declined)` → `to [remote rejected] (…)`. */
function rejections(output: string): string[] {
  return output.split('\n').flatMap((line) => {
    const [flag, pair, summary] = line.split('\t')
    return flag === '!' && pair !== undefined ? [`${pair.slice(pair.indexOf(':') + 1)} ${summary ?? ''}`] : []
  })
}
