import { git, value } from '../args.ts'
import { GitError } from '../errors.ts'
import { run } from '../process/run.ts'
import type { Git } from '../types.ts'
import { remoteArg, remoteOptions, type Remote } from './remote.ts'

const LIMIT_MS = 6 * 3_600_000

/**
 * Clones a repository to a new folder with a work tree. The clone stores the address, but not the authorization. Returns
 * the error as a sentence, or undefined after success.
 */
export async function cloneToFolder(
  engine: Git,
  remote: Remote,
  folder: string,
): Promise<string | undefined> {
  const args = git`clone --quiet -- ${remoteArg(remote)} ${value(folder)}`
  try {
    await run(engine, 'clone.folder', args, { ...remoteOptions(remote), timeoutMs: LIMIT_MS })
    return undefined
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    const lines = error.stderr.split('\n').filter((line) => /^(?:fatal|error): /.test(line))
    return (lines.at(-1) ?? 'Git could not clone the repository.').replace(/^\w+: /, '')
  }
}
