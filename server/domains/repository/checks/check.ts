import type { Ctx } from '../../../ctx.ts'
import type { Repo } from '../../../git/types.ts'
import type { RefChange } from '../../../git-target.ts'
import type { Project } from '../../projects/index.ts'

export type { RefChange } from '../../../git-target.ts'

/** The cause of a change of refs. `mirror`: the project pulls from its upstream repository. */
export type ChangeSource = 'push' | 'api' | 'merge' | 'mirror'

/** The change that a check examines. */
export interface CheckInput {
  readonly ctx: Ctx
  readonly project: Project
  readonly repo: Repo
  readonly source: ChangeSource
  readonly changes: readonly RefChange[]
  /**
   * The paths that the change will touch, if its commit does not exist yet. Otherwise the checks read them from the
   * commits.
   */
  readonly paths?: readonly string[]
  /** Environment variables with which git can read the objects of a push that is not accepted yet. */
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** The names of checks that have already accepted the same push. Each check adds its own. */
  readonly passed?: Set<string>
}

/**
 * One check of ref changes. It returns the message for the user if it refuses the change, and undefined if it allows
 * it. All ways to move refs (push, API, merge) run the same list of checks.
 */
export type Check = (input: CheckInput) => string | undefined | Promise<string | undefined>

/** Returns the short name of a branch ref; undefined for other refs. */
export function branchOf(ref: string): string | undefined {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined
}

/** Returns the short name of a tag ref; undefined for other refs. */
export function tagOf(ref: string): string | undefined {
  return ref.startsWith('refs/tags/') ? ref.slice('refs/tags/'.length) : undefined
}

/**
 * Returns true for a message that refuses every push to the branch. The API replaces it with one short message (spec core
 * 4.2).
 */
export function refusesAllPushes(sentence: string): boolean {
  return /protected branch/.test(sentence) && !sentence.includes('CODEOWNERS')
}

/** Joins a message for the terminal into one line. */
export function singleLine(sentence: string): string {
  return sentence.replace(/\s*\n\s*/g, ' ').trim()
}
