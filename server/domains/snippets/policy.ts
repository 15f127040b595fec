import type { Ctx } from '../../ctx.ts'
import { abilitiesOn } from '../../policy/ability.ts'
import type { Actor } from '../../policy/actor.ts'
import { GUEST, MAINTAINER, REPORTER } from '../../policy/levels.ts'
import { levelsOnProject, type ProjectPlace } from '../members/index.ts'
import { project } from '../projects/index.ts'
import type { SnippetRow } from './types.ts'

const isUser = (actor: Actor): boolean => actor.kind === 'user'

/** What can be done with the snippets of a project; a single one asks `canSee` and `canChange` too. */
export const abilities = abilitiesOn(project, {
  read_snippets: { from: GUEST, feature: 'snippets', public: true },
  create_snippet: { from: REPORTER, feature: 'snippets', when: isUser },
  comment_snippet: { from: GUEST, feature: 'snippets', public: true, when: isUser },
  /** Who may try to change one; whether this one is decided by `canChange`. */
  change_snippet: { from: GUEST, feature: 'snippets', public: true, when: isUser },
})

/** Levels of the actor on the project of a snippet; 0 for a personal one. */
function levelOn(ctx: Ctx, ancestry: ProjectPlace | undefined): number {
  if (!ancestry) return 0
  const { direct, inherited } = levelsOnProject(ctx, ancestry)
  return Math.max(direct, inherited)
}

/**
 * True when the actor may see a snippet whose project they may see: a private one is of its author and of the members of
 * its project, an internal one of everybody signed in who is not external.
 */
export function canSee(ctx: Ctx, snippet: SnippetRow, ancestry?: ProjectPlace): boolean {
  const { actor } = ctx
  if (actor.is_admin || snippet.visibility === 'public') return true
  if (actor.kind !== 'user') return false
  if (snippet.author_id === actor.id || levelOn(ctx, ancestry) >= GUEST) return true
  return snippet.visibility === 'internal' && !actor.external
}

/** True when the actor may change or delete it: its author, and the maintainers of its project. */
export function canChange(ctx: Ctx, snippet: SnippetRow, ancestry?: ProjectPlace): boolean {
  const { actor } = ctx
  return actor.is_admin || snippet.author_id === actor.id || levelOn(ctx, ancestry) >= MAINTAINER
}
