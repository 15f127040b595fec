import type { Ctx } from './ctx.ts'
import type { PendingPush } from './git/transport/receive-pack.ts'
import type { Repo } from './git/types.ts'

/** What a client wants to do with a repository. */
export type Purpose = 'read' | 'write'

/** The protocol that git uses. */
export type Protocol = 'http' | 'ssh'

/** A request of git for a repository. */
export interface GitRequest {
  /** The address, decoded, without slashes around it and without `.git`. */
  readonly path: string
  readonly purpose: Purpose
  readonly protocol: Protocol
}

/** A ref that moves. `old` is null for a new ref, `new` for a deleted one. */
export interface RefChange {
  readonly ref: string
  readonly old: string | null
  readonly new: string | null
}

/** How pushes to one repository are checked and recorded. */
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

/** A repository that git serves, opened for the user who asks. */
export interface GitTarget {
  readonly ctx: Ctx
  readonly repo: Repo
  /** Only used when the repository was opened for writing. */
  readonly rules: PushRules
}

/**
 * Opens one kind of repository. Returns undefined when the address is not of its kind, or when the actor may not know of the
 * repository: then the other kinds are tried, and the answer does not tell the two cases apart. Throws Refusal when the actor
 * sees the repository but may not do this.
 */
export type OpenGitTarget = (
  ctx: Ctx,
  request: GitRequest,
) => GitTarget | undefined | Promise<GitTarget | undefined>
