import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { canRead, isAble } from '../../policy/ability.ts'
import { nextIid } from '../planning/index.ts'
import { findProject, project as scope, projectById, type Project } from '../projects/index.ts'
import { requireMore } from './approvals/rules/deprecated-service.ts'
import { eventOf, MergeRequestCreated } from './events.ts'
import { abilities } from './policy.ts'
import { keepClosingIssues } from './service-closing.ts'
import { setMetadata, type Metadata } from './service-metadata.ts'
import { nameOthers } from './service-notes.ts'
import * as store from './store.ts'
import type { MergeRequestRow } from './types.ts'
import { checkWay, refuseProblems, refuseDuplicate, squashOf, textProblems, tipOf } from './validation.ts'

/** What a merge request is made from. */
export interface NewRequest extends Omit<Metadata, 'add_labels' | 'remove_labels'> {
  readonly title: string
  readonly description?: string | null | undefined
  readonly source_branch: string
  readonly target_branch: string
  readonly remove_source_branch?: boolean | undefined
  readonly squash?: boolean | undefined
  readonly allow_collaboration?: boolean | undefined
  readonly approvals_before_merge?: number | undefined
}

/** The project that a merge request is made for. Throws 404 when the actor does not see it, 403 when it takes none of theirs. */
export function targetOf(ctx: Ctx, source: Project, targetId: number | undefined): Project {
  const target = targetId === undefined ? source : findProject(ctx, String(targetId))
  if (!target || !canRead(ctx, scope, target)) throw notFound('Project')
  if (!isAble(ctx, scope, abilities.create_merge_request, target, true)) throw fail('forbidden')
  return target
}

/**
 * Opens a merge request from a branch of one project into a branch of another, or of the same. Throws as spec core 5.3
 * has it: 422 for projects or branches that do not fit, 409 for one that is open already, 400 for fields.
 */
export async function openRequest(
  ctx: Ctx,
  { source, target }: { readonly source: Project; readonly target: Project },
  given: NewRequest,
): Promise<MergeRequestRow> {
  const wanted = { ...given, title: given.title.trim() }
  checkWay(source, target, wanted)
  const route = routeOf(source, target, wanted)
  refuseDuplicate(ctx, route)
  const tips = await tipsOf(ctx, { source, target }, wanted)
  refuseProblems({ ...textProblems(wanted), ...tips.problems })
  return tx(ctx.db, () => {
    if (!projectById(ctx.db, target.id)) throw notFound('Project')
    refuseDuplicate(ctx, route)
    return insert(ctx, { source, target, head: tips.head }, wanted)
  })
}

function routeOf(source: Project, target: Project, given: NewRequest): store.Route {
  const { source_branch, target_branch } = given
  return { source_project_id: source.id, source_branch, project_id: target.id, target_branch }
}

/** Where the source branch stands, and what is wrong with the branches. */
async function tipsOf(
  ctx: Ctx,
  { source, target }: { readonly source: Project; readonly target: Project },
  given: NewRequest,
): Promise<{ head: string | null; problems: Record<string, string> }> {
  const [head, into] = await Promise.all([
    tipOf(ctx, source, given.source_branch),
    tipOf(ctx, target, given.target_branch),
  ])
  const problemOf = (branch: string): string => (branch.trim() === '' ? "can't be blank" : 'does not exist')
  const problems = {
    ...(head === null ? { source_branch: problemOf(given.source_branch) } : {}),
    ...(into === null ? { target_branch: problemOf(given.target_branch) } : {}),
  }
  return { head, problems }
}

/** Writes it down with all that belongs to it, inside the caller's transaction. */
function insert(
  ctx: Ctx,
  {
    source,
    target,
    head,
  }: { readonly source: Project; readonly target: Project; readonly head: string | null },
  given: NewRequest,
): MergeRequestRow {
  const isFromFork = source.id !== target.id
  const { remove_source_branch: removes } = given
  const request = store.insert(ctx.db, {
    ...routeOf(source, target, given),
    iid: nextIid(ctx.db, { project_id: target.id }, 'merge_requests'),
    author_id: ctx.actor.id!,
    title: given.title,
    description: given.description ?? null,
    squash: squashOf(target, given.squash),
    force_remove_source_branch: removes === undefined ? null : removes,
    allow_collaboration: isFromFork && (given.allow_collaboration ?? false),
    approvals_before_merge: moreApprovals(target, given.approvals_before_merge),
    // Of the first version, which a job makes.
    head_sha: head,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  requireMore(ctx, { request, project: target })
  publish(ctx, MergeRequestCreated, eventOf(ctx, request))
  setMetadata(ctx, target, request, given)
  // What it was made with is no change of it.
  store.update(ctx.db, request.id, { updated_by_id: null })
  keepClosingIssues(ctx, target, request)
  nameOthers(ctx, target, request)
  return store.byId(ctx.db, request.id)!
}

/** A number of approvals counts where it asks for more than the project, which has to ask for some itself. */
function moreApprovals(target: Project, wanted: number | undefined): number | null {
  const own = target.approvals_before_merge
  return wanted !== undefined && own > 0 && wanted > own ? wanted : null
}
