import { hostname } from 'node:os'

import type { Ctx } from '../../../ctx.ts'
import { notFound } from '../../../lib/fail.ts'
import { findProject } from '../../projects/index.ts'
import { userByUsername } from '../../users/index.ts'
import type { Metrics } from './entity.ts'
import { jobCounts, QUEUES, queues, removeWaiting, type QueueName } from './store.ts'

/** Places of the runner, of both lanes (jobs/runner.ts). */
const PLACES = 12

/** The figures of the job runner at this moment. */
export function metrics(ctx: Ctx): Metrics {
  return {
    now: ctx.now,
    queues: queues(ctx.db, ctx.now),
    counts: jobCounts(ctx.db),
    process: {
      hostname: hostname(),
      pid: process.pid,
      started_at: new Date(Date.parse(ctx.now) - Math.round(process.uptime() * 1000)).toISOString(),
      concurrency: PLACES,
    },
  }
}

/** Which waiting jobs are removed. */
export interface QueueFilter {
  readonly user?: string | undefined
  readonly project?: string | undefined
  readonly worker_class?: string | undefined
}

/** Removes waiting jobs of a queue. Throws 404 for a queue, user or project that is not there. */
export function emptyQueue(ctx: Ctx, queue: string, { user, project, worker_class }: QueueFilter) {
  if (!Object.hasOwn(QUEUES, queue)) throw notFound('Queue')
  const actor = user === undefined ? undefined : userByUsername(ctx.db, user)
  const place = project === undefined ? undefined : findProject(ctx, project)
  // Nobody of that name asked for anything.
  if ((user !== undefined && !actor) || (project !== undefined && !place)) throw notFound()
  return removeWaiting(ctx.db, queue as QueueName, {
    name: worker_class,
    project_id: place?.id,
    actor_id: actor?.id,
  })
}
