import type { Ctx } from '../../ctx.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { canRead, isAble } from '../../policy/ability.ts'
import { project as scope, projectById, type Project } from '../projects/index.ts'
import { abilities } from './policy.ts'
import { canChange, canSee, type SnippetRow } from './snippet.ts'
import * as store from './store.ts'

/** A snippet of any kind that the actor may see, with its project. Throws `404 Snippet Not Found`. */
export function findSnippet(ctx: Ctx, id: number): { snippet: SnippetRow; project: Project | undefined } {
  const snippet = store.byId(ctx.db, id)
  if (!snippet) throw notFound('Snippet')
  if (snippet.project_id === null) {
    if (!canSee(ctx, snippet)) throw notFound('Snippet')
    return { snippet, project: undefined }
  }
  const project = projectById(ctx.db, snippet.project_id)
  const isOpen =
    project && canRead(ctx, scope, project) && isAble(ctx, scope, abilities.read_snippets, project)
  if (!isOpen || !canSee(ctx, snippet, project)) throw notFound('Snippet')
  return { snippet, project }
}

/** A snippet of this project that the actor may see. Throws 404. */
export function findIn(ctx: Ctx, project: Project, id: number): SnippetRow {
  const snippet = store.byId(ctx.db, id)
  if (snippet?.project_id !== project.id || !canSee(ctx, snippet, project)) throw notFound('Snippet')
  return snippet
}

/** Throws 401 or 403 unless the actor may change the snippet. */
export function checkChange(ctx: Ctx, snippet: SnippetRow, project?: Project): void {
  if (ctx.actor.kind === 'anonymous') throw fail('unauthorized')
  if (!canChange(ctx, snippet, project)) throw fail('forbidden')
}
