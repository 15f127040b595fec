import type { Ctx } from '../../ctx.ts'
import { abilitiesOn } from '../../policy/ability.ts'
import type { Actor } from '../../policy/actor.ts'
import { GUEST, MAINTAINER, REPORTER } from '../../policy/levels.ts'
import { levelsOnProject, type ProjectAncestry } from '../members/index.ts'
import { project } from '../projects/index.ts'
import type { SnippetRow } from './types.ts'

const isUser = (actor: Actor): boolean => actor.kind === 'user'

/** Abilities on project snippets. `canSee` and `canChange` decide about a single snippet. */
export const abilities = abilitiesOn(project, {
  read_snippets: { from: GUEST, feature: 'snippets', public: true },
  create_snippet: { from: REPORTER, feature: 'snippets', when: isUser },
  comment_snippet: { from: GUEST, feature: 'snippets', public: true, when: isUser },
  /** Lets any user call the endpoint. `canChange` decides about the single snippet. */
  change_snippet: { from: GUEST, feature: 'snippets', public: true, when: isUser },
})

/** The actor's access level on a snippet's project; 0 for a personal snippet. */
function levelOn(ctx: Ctx, ancestry: ProjectAncestry | undefined): number {
  if (!ancestry) return 0
  const { direct, inherited } = levelsOnProject(ctx, ancestry)
  return Math.max(direct, inherited)
}

/**
 * Whether the actor may see a snippet, if they may see its project. Private snippets are visible to their author and
 * project members, internal ones to all users who are not external.
 */
export function canSee(ctx: Ctx, snippet: SnippetRow, ancestry?: ProjectAncestry): boolean {
  const { actor } = ctx
  if (actor.is_admin || snippet.visibility === 'public') return true
  if (actor.kind !== 'user') return false
  if (snippet.author_id === actor.id || levelOn(ctx, ancestry) >= GUEST) return true
  return snippet.visibility === 'internal' && !actor.external
}

/** Whether the actor may update or delete a snippet: its author and maintainers of its project. */
export function canChange(ctx: Ctx, snippet: SnippetRow, ancestry?: ProjectAncestry): boolean {
  const { actor } = ctx
  return actor.is_admin || snippet.author_id === actor.id || levelOn(ctx, ancestry) >= MAINTAINER
}
