import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { enqueue } from '../../../jobs/job.ts'
import * as jobs from '../jobs/store.ts'
import type { JobRow } from '../jobs/store.ts'
import { retriesItself } from './auto-retry.ts'
import { cancelAfterFailure } from './cancel.ts'
import { changeJob, type JobChanges } from './change.ts'
import { coverageJob } from './jobs.ts'
import { processPipeline } from './process.ts'
import { refreshPipeline } from './refresh.ts'
import { repeat } from './retry.ts'
import { isOver } from './statuses.ts'
import * as store from './store.ts'

/** What is known of a job from when a runner takes it. */
export interface Taking {
  readonly runner_id: number
  readonly runner_system_id: string | null
  readonly token_digest: string
  /** Seconds. */
  readonly timeout: number
}

/** Gives a pending job to a runner. Undefined when it is pending no more: somebody was faster. */
export function startJob(ctx: Ctx, jobId: number, taking: Taking): JobRow | undefined {
  return tx(ctx.db, () => {
    const job = jobs.byId(ctx.db, jobId)
    if (job?.status !== 'pending') return undefined
    const started = changeJob(ctx, job, {
      ...taking,
      status: 'running',
      started_at: ctx.now,
      heartbeat_at: ctx.now,
    })
    refreshPipeline(ctx, job.pipeline_id)
    return started
  })
}

/** How a runner says that a job ended. */
export interface Ending {
  readonly status: 'success' | 'failed'
  /** Known reasons only (spec ci 1.15). */
  readonly failure_reason?: string | null | undefined
  readonly exit_code?: number | null | undefined
}

/**
 * Ends a running job as its runner says; one that is being called off ends `canceled` whatever it says (spec ci 1.11). A
 * job that runs no more stays as it is.
 */
export function finishJob(ctx: Ctx, job: Pick<JobRow, 'id'>, ending: Ending): JobRow {
  return settle(ctx, job.id, (row) => {
    if (row.status === 'canceling') return endJob(ctx, row, { status: 'canceled' })
    if (row.status !== 'running') return row
    const exit_code = ending.exit_code ?? null
    if (ending.status === 'success') return endJob(ctx, row, { status: 'success', exit_code })
    return failJob(ctx, row, ending.failure_reason ?? 'unknown_failure', exit_code)
  })
}

/** Fails a job that is not over, for a reason of ours. One that is being called off ends `canceled`. */
export function dropJob(ctx: Ctx, job: Pick<JobRow, 'id'>, reason: string): JobRow {
  return settle(ctx, job.id, (row) => {
    if (isOver(row.status)) return row
    return row.status === 'canceling' ? endJob(ctx, row, { status: 'canceled' }) : failJob(ctx, row, reason)
  })
}

/** Does something to a job as it is now, and settles its pipeline. */
function settle(ctx: Ctx, jobId: number, act: (row: JobRow) => JobRow): JobRow {
  return tx(ctx.db, () => {
    const row = act(jobs.byId(ctx.db, jobId)!)
    processPipeline(ctx, row.pipeline_id)
    return row
  })
}

/** Writes the end of a job; what its log says about coverage is read later. */
export function endJob(ctx: Ctx, job: JobRow, changes: JobChanges & { status: string }): JobRow {
  const ended = changeJob(ctx, job, { ...changes, finished_at: ctx.now })
  if (job.runner_id !== null && store.option(ctx.db, job.id, 'coverage') !== null) {
    enqueue(ctx, coverageJob, { job_id: job.id })
  }
  return ended
}

/** Writes the failure of a job, and lets it be repeated where its `retry:` says so (spec ci 2.5). */
function failJob(ctx: Ctx, job: JobRow, reason: string, exit_code: number | null = null): JobRow {
  const codes = store.optionParts<number[]>(ctx.db, job.id, 'allowed_exit_codes')
  const isAllowed = exit_code !== null && codes?.includes(exit_code) === true
  const failed = endJob(ctx, job, {
    status: 'failed',
    failure_reason: reason,
    exit_code,
    ...(isAllowed ? { allow_failure: true } : {}),
  })
  if (retriesItself(ctx, failed)) repeat(ctx, failed, { auto_retries: failed.auto_retries + 1 })
  else if (!failed.allow_failure) cancelAfterFailure(ctx, failed)
  return jobs.byId(ctx.db, job.id)!
}
