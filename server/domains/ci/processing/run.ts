import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { enqueue } from '../../../jobs/job.ts'
import { addDays } from '../../../lib/clock.ts'
import type { Retry } from '../../ci_config/index.ts'
import type { Project } from '../../projects/index.ts'
import * as jobs from '../jobs/store.ts'
import type { JobRow } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import {
  coverageJob,
  cancelAfterFailure,
  changeJob,
  processPipeline,
  refreshPipeline,
  cancelChildren,
  cancelJobsOf,
  cancelWithoutProcessing,
} from './state.ts'
import { rerunJob } from './rerun.ts'
import { isFinished } from './status.ts'
import * as store from './store.ts'
import type { JobChanges } from './store.ts'

/**
 * Cancels a job (spec ci 1.11). If its runner can end the work gracefully, the job is first `canceling`; canceling it
 * again ends it immediately. A finished job stays unchanged.
 */
export function cancelJob(ctx: Ctx, job: Pick<JobRow, 'id'>): JobRow {
  return tx(ctx.db, () => {
    const row = cancelWithoutProcessing(ctx, jobs.byId(ctx.db, job.id)!)
    if (row.kind === 'bridge') cancelChildren(ctx, row.pipeline_id, row.id)
    processPipeline(ctx, row.pipeline_id)
    return jobs.byId(ctx.db, row.id)!
  })
}

/** The age in days up to which a pipeline can be redundant. */
const MAX_AGE_DAYS = 7

/**
 * Cancels the pipelines that a new one makes redundant, in a project with auto-cancel (spec ci 2.5): those of older
 * commits of its ref, and their child pipelines. Call it in the transaction that creates the pipeline.
 */
export function cancelRedundant(ctx: Ctx, project: Project, pipeline: PipelineRow): void {
  if (project.auto_cancel_pending_pipelines !== 'enabled' || pipeline.source === 'parent_pipeline') return
  for (const redundant of store.redundantTo(ctx.db, pipeline, addDays(ctx.now, -MAX_AGE_DAYS))) {
    const { id, on_new_commit, has_uninterruptible } = redundant
    if (on_new_commit === 'none') continue
    if (on_new_commit === 'interruptible') cancelJobsOf(ctx, id, (job) => job.interruptible)
    else if (has_uninterruptible === 0) cancelJobsOf(ctx, id, (job) => job.kind !== 'external')
  }
}

/** The columns that are written when a runner takes a job. A run that was recorded elsewhere has no runner. */
export interface StartColumns {
  readonly runner_id: number | null
  readonly runner_system_id: string | null
  readonly token_digest: string | null
  /** Seconds. */
  readonly timeout: number
}

/** Gives a pending job to a runner. Returns undefined if the job is no longer pending, as after a faster runner. */
export function startJob(ctx: Ctx, jobId: number, columns: StartColumns): JobRow | undefined {
  return tx(ctx.db, () => {
    const job = jobs.byId(ctx.db, jobId)
    if (job?.status !== 'pending') return undefined
    const started = changeJob(ctx, job, {
      ...columns,
      status: 'running',
      started_at: ctx.now,
      heartbeat_at: ctx.now,
    })
    refreshPipeline(ctx, job.pipeline_id)
    return started
  })
}

/** The result of a job that its runner reports. */
export interface JobResult {
  readonly status: 'success' | 'failed'
  /** One of the known reasons (spec ci 1.15). */
  readonly failure_reason?: string | null | undefined
  readonly exit_code?: number | null | undefined
}

/**
 * Ends a running job with the result that its runner reports (spec ci 1.11). A `canceling` job becomes `canceled`. A job
 * that is not running stays unchanged.
 */
export function finishJob(ctx: Ctx, job: Pick<JobRow, 'id'>, result: JobResult): JobRow {
  return changeAndProcess(ctx, job.id, (row) => {
    if (row.status === 'canceling') return endJob(ctx, row, { status: 'canceled' })
    if (row.status !== 'running') return row
    const exit_code = result.exit_code ?? null
    if (result.status === 'success') return endJob(ctx, row, { status: 'success', exit_code })
    return failJob(ctx, row, result.failure_reason ?? 'unknown_failure', exit_code)
  })
}

/** Fails an unfinished job, for a reason of the instance. A `canceling` job becomes `canceled`. */
export function dropJob(ctx: Ctx, job: Pick<JobRow, 'id'>, reason: string): JobRow {
  return changeAndProcess(ctx, job.id, (row) => {
    if (isFinished(row.status)) return row
    return row.status === 'canceling' ? endJob(ctx, row, { status: 'canceled' }) : failJob(ctx, row, reason)
  })
}

/** Reads a job, changes it and processes its pipeline, in one transaction. */
function changeAndProcess(ctx: Ctx, jobId: number, change: (row: JobRow) => JobRow): JobRow {
  return tx(ctx.db, () => {
    const row = change(jobs.byId(ctx.db, jobId)!)
    processPipeline(ctx, row.pipeline_id)
    return row
  })
}

/** Stores the end of a job. A background job then reads the coverage from its log. */
function endJob(ctx: Ctx, job: JobRow, changes: JobChanges & { status: string }): JobRow {
  const ended = changeJob(ctx, job, { ...changes, finished_at: ctx.now })
  if (job.runner_id !== null && store.option(ctx.db, job.id, 'coverage') !== null) {
    enqueue(ctx, coverageJob, { job_id: job.id })
  }
  return ended
}

/** Stores the failure of a job, and runs the job again if its `retry:` requires it (spec ci 2.5). */
function failJob(ctx: Ctx, job: JobRow, reason: string, exit_code: number | null = null): JobRow {
  const codes = store.optionObject<number[]>(ctx.db, job.id, 'allowed_exit_codes')
  const isAllowed = exit_code !== null && codes?.includes(exit_code) === true
  const failed = endJob(ctx, job, {
    status: 'failed',
    failure_reason: reason,
    exit_code,
    ...(isAllowed ? { allow_failure: true } : {}),
  })
  if (isRetriedAutomatically(ctx, failed)) rerunJob(ctx, failed, { auto_retries: failed.auto_retries + 1 })
  else if (!failed.allow_failure) cancelAfterFailure(ctx, failed)
  return jobs.byId(ctx.db, job.id)!
}

/** The number of automatic retries of a job if its `retry:` does not name the failure, by failure reason. */
const DEFAULT_RETRIES: Readonly<Record<string, number>> = { scheduler_failure: 2 }

/** The failure reasons after which no job is retried automatically. */
const NEVER_RETRIED: ReadonlySet<string> = new Set([
  'data_integrity_failure',
  'forward_deployment_failure',
  'missing_dependency_failure',
  'no_matching_runner',
  'user_blocked',
  'project_deleted',
  'builds_disabled',
  'archived_failure',
  'stale_schedule',
])

/** The maximum number of automatic retries after a failure (spec ci 2.5). */
export function retriesAfter(retry: Retry | null, reason: string, exitCode: number | null): number {
  if (NEVER_RETRIED.has(reason)) return 0
  return retry && covers(retry, reason, exitCode) ? retry.max : (DEFAULT_RETRIES[reason] ?? 0)
}

/** Whether `retry:` names the failure, by its reason or exit code. With exit codes, the default `always` is ignored. */
function covers({ when, exit_codes }: Retry, reason: string, exitCode: number | null): boolean {
  if (exit_codes !== null && exitCode !== null && exit_codes.includes(exitCode)) return true
  if (when.includes('always')) return exit_codes === null
  return when.includes(reason)
}

/** Whether a failed job is retried automatically. */
function isRetriedAutomatically(ctx: Ctx, job: JobRow): boolean {
  if (job.kind !== 'job' || job.failure_reason === null) return false
  const retry = store.optionObject<Retry>(ctx.db, job.id, 'retry')
  return job.auto_retries < retriesAfter(retry, job.failure_reason, job.exit_code)
}

const UNFINISHED = [
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'canceling',
  'scheduled',
]

/** Fails all unfinished jobs of a user's pipelines or of a project. Each pipeline has its own short transaction. */
export function dropJobsOf(
  ctx: Ctx,
  owner: { readonly user_id: number } | { readonly project_id: number },
  reason: string,
): void {
  for (const { id } of store.openPipelines(ctx.db, owner)) tx(ctx.db, () => dropJobsIn(ctx, id, reason))
}

function dropJobsIn(ctx: Ctx, pipelineId: number, reason: string): void {
  const unfinished = store.newestIn(ctx.db, pipelineId, UNFINISHED).filter(({ kind }) => kind !== 'external')
  // The job with the resource ends last; otherwise another one of these jobs would get the resource.
  for (const job of unfinished.toSorted((a, b) => Number(a.holds_resource) - Number(b.holds_resource))) {
    endJob(ctx, job, { status: 'failed', failure_reason: reason })
  }
  processPipeline(ctx, pipelineId)
}
