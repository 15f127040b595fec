import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { enqueue } from '../../../jobs/job.ts'
import { fail, type Failure } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import { inRepository, project as scope, projectAbilities, type Project } from '../../projects/index.ts'
import { allows, allowsForce, protecting, protectionsOf, pusherOf } from '../../repository/index.ts'
import { sourceProject, tipsOf } from '../diffs/tips.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import { collaborates } from '../rights.ts'
import * as store from '../store.ts'
import { rebaseJob } from './rebase.ts'

const BUSY =
  'Failed to enqueue the rebase operation, possibly due to a long-lived transaction. Try again later.'

/**
 * Begins a rebase in the background. Throws 403 for who may not push to the source branch, or not rewrite it, and where it
 * is gone; 409 where it is not open or under way (spec core 5.2).
 */
export async function startRebase(
  ctx: Ctx,
  project: Project,
  given: MergeRequestRow,
): Promise<MergeRequestRow> {
  await checkPush(ctx, project, given)
  return tx(ctx.db, () => {
    const request = store.byId(ctx.db, given.id)
    if (request?.state !== 'opened' || request.rebase_in_progress) throw fail('conflict', BUSY)
    enqueue(ctx, rebaseJob, { merge_request_id: request.id, actor_id: ctx.actor.id })
    return store.update(ctx.db, request.id, { rebase_in_progress: true, merge_error: null })
  })
}

const forbidden = (reason: string): Failure => fail('forbidden', `403 Forbidden - ${reason}`)

async function checkPush(ctx: Ctx, project: Project, request: MergeRequestRow): Promise<void> {
  const source = sourceProject(ctx, project, request)
  const { head } = await inRepository(ctx, project, () => tipsOf(ctx, project, request))
  if (!source || head === null) throw forbidden('Source branch does not exist')
  const holding = protecting(protectionsOf(ctx.db, source.id), request.source_branch)
  const isOwn = isAble(ctx, scope, projectAbilities.push_code, source, true)
  if (!(isOwn || collaborates(ctx, { project, source, request })) || !allowsOn(ctx, source, holding, isOwn)) {
    throw forbidden('Cannot push to source branch')
  }
  if (!allowsForce(holding)) throw forbidden('Source branch is protected from force push')
}

function allowsOn(ctx: Ctx, source: Project, holding: Parameters<typeof allows>[0], isOwn: boolean): boolean {
  return holding.length === 0 || (isOwn && allows(holding, 'push', pusherOf(ctx, source)))
}
