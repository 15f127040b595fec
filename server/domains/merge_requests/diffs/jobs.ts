import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { enqueue, job, type Job } from '../../../jobs/job.ts'
import { projectById } from '../../projects/index.ts'
import { actingAs } from '../policy.ts'
import * as requests from '../store.ts'
import { followBranches } from './branches.ts'

/** The delay before trying again while a merge is running. */
const RETRY_MS = 500

/**
 * `actor_id` is the user who moved the branch. `rebase` makes a new version for a new base, even if the head is the
 * same.
 */
interface FollowArgs {
  merge_request_id: number
  actor_id: number | null
  rebase: boolean
}

/**
 * Follows the branches of a merge request. Waits while a merge is running, since a merged version must stay the newest.
 */
export const followJob: Job<FollowArgs> = job(
  'merge_requests.follow',
  { args: { merge_request_id: z.number(), actor_id: z.number().nullable(), rebase: z.boolean() } },
  async (ctx, args) => {
    const request = requests.byId(ctx.db, args.merge_request_id)
    const project = request && projectById(ctx.db, request.project_id)
    if (!project) return
    if (request.state === 'locked') return enqueue(ctx, followJob, args, { delay: RETRY_MS })
    await followBranches(actingAs(ctx, args.actor_id), project, args)
  },
)

export const jobs: Job[] = [followJob]

/** Enqueues a job that follows the branches of a merge request as the user who moved them. */
export function requestFollow(
  ctx: Ctx,
  input: { merge_request_id: number; actor_id: number | null; rebase?: boolean },
  options: { delay?: number } = {},
): void {
  const { merge_request_id, actor_id, rebase = false } = input
  const args = { merge_request_id, actor_id, rebase }
  const key = `merge_requests.follow:${merge_request_id}`
  enqueue(ctx, followJob, args, { key, once: `${key}:${actor_id}:${rebase}`, ...options })
}
