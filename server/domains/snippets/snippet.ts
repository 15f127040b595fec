import type { Selectable } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import type { SnippetsTable } from '../../db/schema.gen.ts'
import { levelsOnProject, type ProjectPlace } from '../members/index.ts'
import { GUEST, MAINTAINER } from '../../policy/levels.ts'

/** A snippet as stored; its content is in its repository. */
export type SnippetRow = Selectable<SnippetsTable>

/** Paths in a snippet's repository, in order. */
export function pathsOf(snippet: Pick<SnippetRow, 'files'>): string[] {
  return JSON.parse(snippet.files) as string[]
}

/** What there is now, in an order that was wanted; what else there is follows as git sorts it. */
export function inOrder(paths: readonly string[], wanted: readonly string[]): string[] {
  return [...new Set([...wanted.filter((path) => paths.includes(path)), ...paths])]
}

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
