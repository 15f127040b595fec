import { hostname } from 'node:os'

import type { Ctx } from '../../../ctx.ts'
import { notFound } from '../../../lib/fail.ts'
import { findProject } from '../../projects/index.ts'
import { userByUsername } from '../../users/index.ts'
import type { Metrics } from './entity.ts'
import { jobCounts, QUEUES, queues, removeWaiting, type QueueName } from './store.ts'

/** The maximum number of jobs that run at the same time, on both lanes (`jobs/runner.ts`). */
const CONCURRENCY = 12

/** Returns the current metrics of the job runner. */
export function metrics(ctx: Ctx): Metrics {
  return {
    now: ctx.now,
    queues: queues(ctx.db, ctx.now),
    counts: jobCounts(ctx.db),
    process: {
      hostname: hostname(),
      pid: process.pid,
      started_at: new Date(Date.parse(ctx.now) - Math.round(process.uptime() * 1000)).toISOString(),
      concurrency: CONCURRENCY,
    },
  }
}

/** Filters of the waiting jobs to delete: user name, full path of the project, and name of the job. */
export interface QueueFilter {
  readonly user?: string | undefined
  readonly project?: string | undefined
  readonly worker_class?: string | undefined
}

/** Deletes waiting jobs of a queue. Throws 404 for an unknown queue, user or project. */
export function emptyQueue(ctx: Ctx, queue: string, { user, project, worker_class }: QueueFilter) {
  if (!Object.hasOwn(QUEUES, queue)) throw notFound('Queue')
  const actor = user === undefined ? undefined : userByUsername(ctx.db, user)
  const owner = project === undefined ? undefined : findProject(ctx, project)

  if ((user !== undefined && !actor) || (project !== undefined && !owner)) throw notFound()
  return removeWaiting(ctx.db, queue as QueueName, {
    name: worker_class,
    project_id: owner?.id,
    actor_id: actor?.id,
  })
}
