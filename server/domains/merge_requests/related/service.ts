import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { readCommits } from '../../../git/read/commits.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { keepAround } from '../../../git/write/refs.ts'
import { Failure, notFound, fail } from '../../../lib/fail.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { noteTexts } from '../../discussions/index.ts'
import { resolveIssuable, milestonesByIds, referencesIn, type IssuableName } from '../../planning/index.ts'
import { inRepository, project as scope, type Project, fullPath } from '../../projects/index.ts'
import { abilities, checkMayReadCode } from '../policy.ts'
import { commitMessages } from '../service-closing.ts'
import * as store from '../store.ts'
import type { MergeRequestRow } from '../types.ts'

/** The maximum number of commits of one request (spec core 5.2). */
const MAX_COMMITS = 20

const invalidCommits = () => fail('bad_request', "One or more context commits' sha is not valid.")

/** Loads commits for their entities. Skips commits that the repository does not have. */
async function commitViews(ctx: Ctx, project: Project, shas: readonly string[]) {
  const commits = await inRepository(ctx, project, (repo) => readCommits(repo, shas))
  return commits.map((commit) => ({ commit, path: fullPath(project), project_id: project.id }))
}

/** Lists the context commits of a merge request: commits of the project that help to review it. */
export function contextCommits(ctx: Ctx, project: Project, request: MergeRequestRow) {
  checkMayReadCode(ctx, project)
  return commitViews(ctx, project, store.contextCommitsOf(ctx.db, request.id))
}

/** Adds context commits. Throws 400 for more than 20 and for commits that the project does not have. */
export async function addContextCommits(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  names: readonly string[],
) {
  checkMayReadCode(ctx, project)
  if (names.length > MAX_COMMITS)
    throw fail('bad_request', `Context commits array size should not be more than ${MAX_COMMITS}`)
  const shas = await inRepository(ctx, project, async (repo) => {
    const commits = await Promise.all(names.map((name) => resolveCommit(repo, name)))
    const ids = commits.filter((id) => id !== null)
    if (names.length === 0 || ids.length < names.length) throw invalidCommits()
    // The commits must survive the deletion of their branch.
    await keepAround(repo, ids)
    return [...new Set(ids)]
  })
  tx(ctx.db, () => store.insertContextCommits(ctx.db, request.id, shas, ctx.now))
  return commitViews(ctx, project, shas)
}

/** Removes context commits. Throws 400 for a commit that is not a context commit. */
export function removeContextCommits(ctx: Ctx, request: MergeRequestRow, shas: readonly string[]): void {
  tx(ctx.db, () => {
    const existing = store.contextCommitsOf(ctx.db, request.id)
    const isKnown = shas.length > 0 && shas.every((sha) => existing.includes(sha))
    if (!isKnown) throw invalidCommits()
    store.deleteContextCommits(ctx.db, request.id, shas)
  })
}

/** Resolves the name of a commit to its SHA. Throws `404 Commit Not Found`. */
export async function shaOfCommit(ctx: Ctx, project: Project, name: string): Promise<string> {
  const id = await inRepository(ctx, project, (repo) => resolveCommit(repo, name))
  if (id === null) throw notFound('Commit')
  return id
}

/** Whether the actor may read the merge requests of a project. */
export function mayReadRequests(ctx: Ctx, project: Project): boolean {
  return hasAbility(ctx, scope, abilities.read_merge_request, project)
}

/** Returns the ID of a milestone that the project or group owns itself. Throws `404 Not found` for any other. */
export function requireOwnMilestone(
  ctx: Ctx,
  id: number,
  owner: { readonly project_id: number } | { readonly group_id: number },
): number {
  const milestone = milestonesByIds(ctx.db, [id]).get(id)
  const isOwn =
    'project_id' in owner
      ? milestone?.project_id === owner.project_id
      : milestone?.group_id === owner.group_id
  if (!milestone || !isOwn) throw new Failure('not_found', '404 Not found')
  return id
}

/** Returns the IDs of the issues or merge requests that a text mentions, if the actor may see them. */
function mentionedIds(ctx: Ctx, project: Project, kind: IssuableName, text: string): number[] {
  return referencesIn(text, ctx.config.url).flatMap((reference) => {
    const issuable = reference.kind === kind ? resolveIssuable(ctx, project, reference) : undefined
    return issuable ? [issuable.issuable.id] : []
  })
}

/** Returns the IDs of the issues that the texts, commits or notes of a merge request mention. */
export async function mentionedIssues(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
): Promise<number[]> {
  const messages = await commitMessages(ctx, project, request)
  const notes = noteTexts(ctx.db, { type: 'MergeRequest', id: request.id }, 'users')
  const text = [request.title, request.description ?? '', messages, ...notes].join('\n\n')
  return mentionedIds(ctx, project, 'Issue', text)
}

/** Returns the IDs of the merge requests that mention an issue, or that it mentions. */
export function mentionedRequests(
  ctx: Ctx,
  project: Project,
  issue: { readonly id: number; readonly title: string; readonly description: string | null },
): number[] {
  const mentions = noteTexts(ctx.db, { type: 'Issue', id: issue.id }, 'cross_references')
  const notes = noteTexts(ctx.db, { type: 'Issue', id: issue.id }, 'users')
  const text = [issue.title, issue.description ?? '', ...mentions, ...notes].join('\n\n')
  return mentionedIds(ctx, project, 'MergeRequest', text)
}
