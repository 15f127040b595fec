import type { Ctx } from '../../../ctx.ts'
import type { PendingPush } from '../../../git/receive-pack.ts'
import type { Repo } from '../../../git/types.ts'
import type { RefChange } from '../checks/check.ts'

/** What somebody wants to do with a repository. */
export type Purpose = 'read' | 'write'

/** What git came over. */
export type Protocol = 'http' | 'ssh'

/** What git is asked for. */
export interface GitRequest {
  /** The address, decoded, without slashes around it and without `.git`. */
  readonly path: string
  readonly purpose: Purpose
  readonly protocol: Protocol
}

/** How pushes to one repository are judged and remembered. */
export interface PushRules {
  /**
   * The sentence that refuses a push; undefined lets it pass. Asked once more when its turn to write has come, if
   * anything was stored meanwhile.
   */
  refusal(changes: readonly RefChange[], push: PendingPush): Promise<string | undefined>
  /**
   * Writes down what git is about to do, as the only writer of the repository. What it returns is called once, with the
   * changes that really happened, perhaps none; what it could not finish must be found again after a crash. `options`:
   * what the user gave with `git push -o`.
   */
  announce(
    changes: readonly RefChange[],
    options: readonly string[],
  ): (happened: readonly RefChange[]) => Promise<void>
}

/** A repository that git is served, opened for whoever asks. */
export interface GitPlace {
  readonly ctx: Ctx
  readonly repo: Repo
  /** Only asked of places that were opened for writing. */
  readonly rules: PushRules
}

/**
 * Opens one kind of place. Undefined when the address is not of its kind, or leads to nothing that the actor may know
 * of: then the others are asked, and the answer does not tell the two apart. Throws Refusal for what the actor sees but
 * may not do.
 */
export type OpenPlace = (
  ctx: Ctx,
  request: GitRequest,
) => GitPlace | undefined | Promise<GitPlace | undefined>
