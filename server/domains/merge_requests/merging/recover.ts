import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { isAncestor } from '../../../git/graph.ts'
import { branchTip } from '../../../git/revisions.ts'
import { projectById, repoOf } from '../../projects/index.ts'
import { actingAs } from '../acting.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import * as store from '../store.ts'
import { intentOf, isUnderWay, unlock } from './claim.ts'
import { completeMerge } from './complete.ts'

/**
 * Takes up merges that were cut off, as by a crash: where the target was moved already the rest is recorded, all others
 * are open again. To be called at start after the journal of refs, and now and then.
 */
export async function recoverMerges(ctx: Ctx): Promise<void> {
  for (const request of store.locked(ctx.db)) {
    if (isUnderWay(request.id)) continue
    try {
      await takeUp(ctx, request)
    } catch (error) {
      // One damaged repository must not keep the instance from starting.
      ctx.log.error(
        { err: error, merge_request_id: request.id },
        'a merge that was cut off could not be looked at',
      )
    }
  }
}

async function takeUp(ctx: Ctx, request: MergeRequestRow): Promise<void> {
  const project = projectById(ctx.db, request.project_id)
  const intent = intentOf(request)
  if (!project || !intent) return unlock(ctx, request)
  const repo = repoOf(ctx, project)
  const tip = await branchTip(repo, request.target_branch)
  const isDone = tip !== null && (await isAncestor(repo, intent.to, tip))
  if (!isDone) return unlock(ctx, request)
  tx(ctx.db, () => {
    const current = store.byId(ctx.db, request.id)
    if (current?.state !== 'locked') return
    const { merge_commit_sha, squash_commit_sha } = intent
    const acting = actingAs(ctx, intent.user_id)
    completeMerge(acting, project, current, { merge_commit_sha, squash_commit_sha })
  })
}
