import type { Ctx } from '../../../ctx.ts'
import { publish } from '../../../events/publish.ts'
import { JobChanged } from '../events.ts'
import type { JobRow } from '../jobs/store.ts'
import { tickQueues } from '../runner_protocol/queue.ts'
import { grantNext } from './resources.ts'
import { isOver } from './statuses.ts'
import * as store from './store.ts'

/** What can change in a job. */
export type JobChanges = Partial<Omit<JobRow, 'id' | 'pipeline_id' | 'project_id'>>

/** Tells that a job's status became another one, or that the job is there at all (`previous` null). */
export function tellJob(ctx: Ctx, job: JobRow, previous: string | null): void {
  publish(ctx, JobChanged, {
    project_id: job.project_id,
    pipeline_id: job.pipeline_id,
    job_id: job.id,
    kind: job.kind as 'job' | 'bridge' | 'external',
    name: job.name,
    status: job.status,
    previous_status: previous,
    runner_id: job.runner_id,
    has_environment: job.environment !== null,
    actor_id: ctx.actor.id,
  })
}

/**
 * The one way in which a job changes: writes, tells the event, wakes the runners that may take it, and hands its resource
 * on when it is over. To be called in a transaction, with a row that was read in it; whoever calls it settles the pipeline
 * afterwards (`processPipeline` or `refreshPipeline`).
 */
export function changeJob(ctx: Ctx, job: Pick<JobRow, 'id' | 'status'>, changes: JobChanges): JobRow {
  const status = changes.status ?? job.status
  const ends = isOver(status) && !isOver(job.status)
  const all = { ...changes, ...(ends ? { holds_resource: false } : {}), updated_at: ctx.now }
  const row = store.updateJob(ctx.db, job.id, all)
  if (row.status !== job.status) tellJob(ctx, row, job.status)
  if (row.status === 'pending' && job.status !== 'pending') tickQueues(ctx, row)
  if (ends && row.resource_group_id !== null) grantNext(ctx, row.resource_group_id, row.pipeline_id)
  return row
}
