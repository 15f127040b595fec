import type { Ctx } from '../../../ctx.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { Failure, notFound } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import { noteTexts } from '../../discussions/index.ts'
import { resolveIssuable, milestonesByIds, referencesIn, type IssuableName } from '../../planning/index.ts'
import { inRepository, project as scope, type Project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import { commitMessages } from '../service-closing.ts'
import type { MergeRequestRow } from '../types.ts'

/** Resolves the name of a commit to its SHA. Throws `404 Commit Not Found`. */
export async function shaOfCommit(ctx: Ctx, project: Project, name: string): Promise<string> {
  const id = await inRepository(ctx, project, (repo) => resolveCommit(repo, name))
  if (id === null) throw notFound('Commit')
  return id
}

/** Whether the actor may read the merge requests of a project. */
export function mayReadRequests(ctx: Ctx, project: Project): boolean {
  return isAble(ctx, scope, abilities.read_merge_request, project)
}

/** Checks that a milestone belongs to this very project or group, and returns its ID. Throws `404 Not found`. */
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

/** Returns the IDs of the records that a text mentions and the actor may see. */
function named(ctx: Ctx, project: Project, kind: IssuableName, text: string): number[] {
  return referencesIn(text, ctx.config.url).flatMap((reference) => {
    const found = reference.kind === kind ? resolveIssuable(ctx, project, reference) : undefined
    return found ? [found.issuable.id] : []
  })
}

/** Returns the IDs of the issues that the texts, commits or notes of a merge request mention. */
export async function issuesNamed(ctx: Ctx, project: Project, request: MergeRequestRow): Promise<number[]> {
  const messages = await commitMessages(ctx, project, request)
  const notes = noteTexts(ctx.db, { type: 'MergeRequest', id: request.id }, 'people')
  const text = [request.title, request.description ?? '', messages, ...notes].join('\n\n')
  return named(ctx, project, 'Issue', text)
}

/** Returns the IDs of the merge requests that mention an issue, or that it mentions. */
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
