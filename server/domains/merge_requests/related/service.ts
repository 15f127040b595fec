import type { Ctx } from '../../../ctx.ts'
import { resolveCommit } from '../../../git/revisions.ts'
import { Failure, notFound } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import { noteTexts } from '../../discussions/index.ts'
import { issuableMeant, milestonesByIds, referencesIn, type IssuableName } from '../../planning/index.ts'
import { inRepository, project as scope, type Project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import { commitMessages } from '../service-closing.ts'
import type { MergeRequestRow } from '../types.ts'

/** The full id of a commit that a name stands for. Throws `404 Commit Not Found`. */
export async function commitSeen(ctx: Ctx, project: Project, name: string): Promise<string> {
  const id = await inRepository(ctx, project, (repo) => resolveCommit(repo, name))
  if (id === null) throw notFound('Commit')
  return id
}

/** Whether the actor, who reads the code, reads the merge requests too. */
export function mayReadRequests(ctx: Ctx, project: Project): boolean {
  return isAble(ctx, scope, abilities.read_merge_request, project)
}

/** The id of a milestone that a project or group itself has. Throws `404 Not found`. */
export function ownMilestone(
  ctx: Ctx,
  id: number,
  owner: { readonly project_id: number } | { readonly group_id: number },
): number {
  const found = milestonesByIds(ctx.db, [id]).get(id)
  const isOwn =
    'project_id' in owner ? found?.project_id === owner.project_id : found?.group_id === owner.group_id
  if (!found || !isOwn) throw new Failure('not_found', '404 Not found')
  return id
}

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
