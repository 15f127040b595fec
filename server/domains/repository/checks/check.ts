import type { Ctx } from '../../../ctx.ts'
import type { Repo } from '../../../git/types.ts'
import type { RefChange } from '../../../git-target.ts'
import type { Project } from '../../projects/index.ts'

export type { RefChange } from '../../../git-target.ts'

/** Where a change of refs comes from; `mirror`: from the repository elsewhere that the project follows. */
export type ChangeSource = 'push' | 'api' | 'merge' | 'mirror'

/** What a check gets to see. */
export interface CheckInput {
  readonly ctx: Ctx
  readonly project: Project
  readonly repo: Repo
  readonly source: ChangeSource
  readonly changes: readonly RefChange[]
  /** Paths that the change will touch, where its commit is not made yet; otherwise they are read from the commits. */
  readonly paths?: readonly string[]
  /** With this environment git sees the objects of a push that is not accepted yet. */
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** What was found in order when the same push was judged before; checks add to it. */
  readonly passed?: Set<string>
}

/**
 * One rule about changes of refs. Gives the sentence for the user when a change must not happen, undefined when the
 * rule has nothing against it. Every way that refs move (push, API, merge) asks the same list.
 */
export type Check = (input: CheckInput) => string | undefined | Promise<string | undefined>

/** The short name of a branch ref; undefined for other refs. */
export function branchOf(ref: string): string | undefined {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined
}

/** The short name of a tag ref; undefined for other refs. */
export function tagOf(ref: string): string | undefined {
  return ref.startsWith('refs/tags/') ? ref.slice('refs/tags/'.length) : undefined
}
