import type { Ctx } from './ctx.ts'
import type { PendingPush } from './git/transport/receive-pack.ts'
import type { Repo } from './git/types.ts'

/** The access to a repository that a git client needs. */
export type Purpose = 'read' | 'write'

/** The protocol that git uses. */
export type Protocol = 'http' | 'ssh'

/** A request of a git client for a repository. */
export interface GitRequest {
  /** The decoded path, without slashes around it and without `.git`. */
  readonly path: string
  readonly purpose: Purpose
  readonly protocol: Protocol
}

/** A change of one ref, with object ids. `old` is null for a new ref, `new` for a deleted one. */
export interface RefChange {
  readonly ref: string
  readonly old: string | null
  readonly new: string | null
}

/** Checks and records the pushes to one repository. */
export interface PushHandler {
  /**
   * Returns the sentence that refuses a push, or undefined to accept it. It is called again under the write lock if the
   * database changed in the meantime.
   */
  refusal(changes: readonly RefChange[], push: PendingPush): Promise<string | undefined>
  /**
   * Records the changes that git is about to make, under the write lock. The returned function is called once with the
   * changes that git made, perhaps none. After a crash, recovery does its work. `options` are those of `git push -o`.
   */
  announce(
    changes: readonly RefChange[],
    options: readonly string[],
  ): (made: readonly RefChange[]) => Promise<void>
}

/** A repository that git serves, opened for one request of an actor. */
export interface GitTarget {
  readonly ctx: Ctx
  readonly repo: Repo
  /** Only used when the repository was opened for writing. */
  readonly pushHandler: PushHandler
}

/**
 * Opens one kind of repository. Returns undefined when the path names another kind, or the actor may not see the
 * repository: then other kinds are tried, and the client gets the same answer in both cases. Throws Refusal when the
 * actor may see the repository but lacks the access.
 */
export type OpenGitTarget = (
  ctx: Ctx,
  request: GitRequest,
) => GitTarget | undefined | Promise<GitTarget | undefined>
