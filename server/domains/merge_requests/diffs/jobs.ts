import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { enqueue, job, type Job } from '../../../jobs/job.ts'
import { projectById } from '../../projects/index.ts'
import { actingAs } from '../policy.ts'
import * as requests from '../store.ts'
import { followBranches } from './branches.ts'

/** How long to wait for a merge under way. */
const MERGE_MS = 500

/** Which merge request, who moved its branch, and whether its base has to be looked for anew. */
interface FollowArgs {
  merge_request_id: number
  actor_id: number | null
  rebase: boolean
}

/**
 * Follows the branches of one merge request. While it is being merged it has to wait: what is merged is not to get
 * another version, unless the merge fails.
 */
export const followJob: Job<FollowArgs> = job(
  'merge_requests.follow',
  { args: { merge_request_id: z.number(), actor_id: z.number().nullable(), rebase: z.boolean() } },
  async (ctx, args) => {
    const request = requests.byId(ctx.db, args.merge_request_id)
    const project = request && projectById(ctx.db, request.project_id)
    if (!project) return
    if (request.state === 'locked') return enqueue(ctx, followJob, args, { delay: MERGE_MS })
    await followBranches(actingAs(ctx, args.actor_id), project, args)
  },
)

export const jobs: Job[] = [followJob]

/** Has the branches of a merge request followed, in the name of whoever moved them. */
export function requestFollow(
  ctx: Ctx,
  given: { merge_request_id: number; actor_id: number | null; rebase?: boolean },
  options: { delay?: number } = {},
): void {
  const { merge_request_id, actor_id, rebase = false } = given
  const args = { merge_request_id, actor_id, rebase }
  const key = `merge_requests.follow:${merge_request_id}`
  enqueue(ctx, followJob, args, { key, once: `${key}:${actor_id}:${rebase}`, ...options })
}
