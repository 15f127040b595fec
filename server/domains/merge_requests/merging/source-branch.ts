import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { GitRefError } from '../../../git/errors.ts'
import { branchTip } from '../../../git/revisions.ts'
import { enqueue, job, type Job } from '../../../jobs/job.ts'
import { isAble } from '../../../policy/ability.ts'
import {
  project as scope,
  projectAbilities,
  projectById,
  repoOf,
  type Project,
} from '../../projects/index.ts'
import { moveRefs, protecting, protectionsOf, refusalOf } from '../../repository/index.ts'
import { actingAs } from '../acting.ts'
import { sourceProject } from '../diffs/tips.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import * as store from '../store.ts'
import { retargetChain } from './retarget.ts'

/** Removes the source branch of a merged merge request, in the name of whoever wanted that. */
export const removeBranchJob: Job<{ merge_request_id: number; actor_id: number | null }> = job(
  'merge_requests.remove_source_branch',
  { args: { merge_request_id: z.number(), actor_id: z.number().nullable() } },
  async (ctx, args) => {
    const request = store.byId(ctx.db, args.merge_request_id)
    const project = request && projectById(ctx.db, request.project_id)
    const source = project && sourceProject(ctx, project, request)
    if (request?.state === 'merged' && source) await remove(actingAs(ctx, args.actor_id), source, request)
  },
)

/** Has the source branch removed where that was chosen at the merge, or before. */
export function requestRemoval(ctx: Ctx, request: MergeRequestRow): void {
  const { should_remove_source_branch: chosen, force_remove_source_branch: wanted } = request
  if ((chosen ?? wanted ?? 0) === 0) return
  // What the author wanted is theirs to do: whoever merges may have no say in a fork.
  const actor_id = wanted === 1 ? request.author_id : ctx.actor.id
  enqueue(ctx, removeBranchJob, { merge_request_id: request.id, actor_id })
}

/** Removes it where nothing speaks against it: no protection, no further commits, and the actor may. */
async function remove(ctx: Ctx, source: Project, request: MergeRequestRow): Promise<void> {
  const { source_branch: branch, head_sha } = request
  if (ctx.actor.kind !== 'user' || branch === source.default_branch) return
  if (protecting(protectionsOf(ctx.db, source.id), branch).length > 0) return
  if (!isAble(ctx, scope, projectAbilities.push_code, source, true)) return
  const repo = repoOf(ctx, source)
  const tip = await branchTip(repo, branch)
  if (tip === null || tip !== head_sha) return
  const changes = [{ ref: `refs/heads/${branch}`, old: tip, new: null }]
  if (await refusalOf({ ctx, project: source, repo, source: 'api', changes })) return
  try {
    await moveRefs(ctx, source, { source: 'api', changes, after: () => retargetChain(ctx, request) })
  } catch (error) {
    // Somebody pushed in the very moment: then it stays.
    if (!(error instanceof GitRefError)) throw error
  }
}
