import type { Ctx } from '../../../ctx.ts'
import { noteTexts } from '../../discussions/index.ts'
import { issuableMeant, referencesIn, type IssuableName } from '../../planning/index.ts'
import type { Project } from '../../projects/index.ts'
import { commitMessages } from '../closing.ts'
import type { MergeRequestRow } from '../merge-request.ts'

/** Ids of what some texts of a project name, as far as the actor may see it. */
function named(ctx: Ctx, project: Project, kind: IssuableName, text: string): number[] {
  return referencesIn(text, ctx.config.url).flatMap((reference) => {
    const found = reference.kind === kind ? issuableMeant(ctx, project, reference) : undefined
    return found ? [found.issuable.id] : []
  })
}

/** Ids of the issues that a merge request is about: named in its texts, its commits or its notes. */
export async function issuesNamed(ctx: Ctx, project: Project, request: MergeRequestRow): Promise<number[]> {
  const messages = await commitMessages(ctx, project, request)
  const notes = noteTexts(ctx.db, { type: 'MergeRequest', id: request.id }, 'people')
  const text = [request.title, request.description ?? '', messages, ...notes].join('\n\n')
  return named(ctx, project, 'Issue', text)
}

/** Ids of the merge requests that an issue has to do with: they named it, or it names them. */
export function requestsNamed(
  ctx: Ctx,
  project: Project,
  issue: { readonly id: number; readonly title: string; readonly description: string | null },
): number[] {
  const mentions = noteTexts(ctx.db, { type: 'Issue', id: issue.id }, 'mentions')
  const notes = noteTexts(ctx.db, { type: 'Issue', id: issue.id }, 'people')
  const text = [issue.title, issue.description ?? '', ...mentions, ...notes].join('\n\n')
  return named(ctx, project, 'MergeRequest', text)
}
