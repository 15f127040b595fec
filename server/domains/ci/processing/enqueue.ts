import type { Ctx } from '../../../ctx.ts'
import { enqueue } from '../../../jobs/job.ts'
import type { JobRow } from '../jobs/store.ts'
import { changeJob, type JobChanges } from './change.ts'
import { isProtectedRef } from '../job_variables/protected-ref.ts'
import { isOutdated } from './forward.ts'
import { downstreamJob, startDelayedJob } from './jobs.ts'
import { grantNext } from './resources.ts'
import * as store from './store.ts'
import type { CreatedJob } from './store.ts'

/** Takes a created job to what its `when` says: it waits for its time, for somebody, or for a runner (spec ci 2.4). */
export function letThrough(ctx: Ctx, job: CreatedJob): JobRow {
  if (job.when === 'manual') return changeJob(ctx, job, { status: 'manual' })
  return job.when === 'delayed' ? schedule(ctx, job) : enqueueJob(ctx, job)
}

function schedule(ctx: Ctx, job: CreatedJob): JobRow {
  const seconds = store.option<number>(ctx.db, job.id, 'start_in') ?? 0
  const scheduled_at = new Date(Date.parse(ctx.now) + seconds * 1000).toISOString()
  enqueue(ctx, startDelayedJob, { job_id: job.id }, { delay: seconds * 1000 })
  return changeJob(ctx, job, { status: 'scheduled', scheduled_at })
}

/**
 * Puts a job before the runners, or where it has a resource group, into the line for its resource. A deployment that would
 * take its environment back fails instead (spec ci 2.4). To be called in a transaction.
 */
export function enqueueJob(ctx: Ctx, job: Pick<JobRow, 'id' | 'status'>, changes: JobChanges = {}): JobRow {
  const row = bared(ctx, store.jobById(ctx.db, job.id))
  if (isOutdated(ctx, row)) return failOutdated(ctx, row)
  if (row.resource_group_id === null) return toPending(ctx, row, changes)
  const waiting = changeJob(ctx, row, { ...changes, status: 'waiting_for_resource', scheduled_at: null })
  grantNext(ctx, row.resource_group_id, row.pipeline_id)
  return store.jobById(ctx.db, waiting.id)
}

/** Where a ref is protected no more, others may run its jobs, and protected variables and runners are not for them. */
function bared(ctx: Ctx, job: JobRow): JobRow {
  if (!job.protected) return job
  const kind = job.tag ? 'tag' : 'branch'
  if (isProtectedRef(ctx.db, job.project_id, { kind, name: job.ref })) return job
  ctx.db.exec('UPDATE ci_jobs SET protected = 0 WHERE id = ?', job.id)
  return { ...job, protected: false }
}

/** Ends a job whose environment has something newer by now. */
export function failOutdated(ctx: Ctx, job: JobRow): JobRow {
  return changeJob(ctx, job, {
    status: 'failed',
    failure_reason: 'forward_deployment_failure',
    finished_at: ctx.now,
  })
}

/** Makes a job ready to be taken; a trigger job makes its pipeline by itself. */
export function toPending(ctx: Ctx, job: JobRow, changes: JobChanges = {}): JobRow {
  const row = changeJob(ctx, job, { ...changes, status: 'pending', queued_at: ctx.now, scheduled_at: null })
  if (row.kind === 'bridge') enqueue(ctx, downstreamJob, { job_id: row.id })
  return row
}
