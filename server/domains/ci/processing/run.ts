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
  cancelOne,
} from './state.ts'
import { repeat } from './rerun.ts'
import { isOver } from './status.ts'
import * as store from './store.ts'
import type { JobChanges } from './store.ts'

/**
 * Cancels a job immediately, or by the status `canceling` if its runner can end the work gracefully (spec ci 1.11). A
 * second cancel ends a `canceling` job. Does nothing for a finished job.
 */
export function cancelJob(ctx: Ctx, job: Pick<JobRow, 'id'>): JobRow {
  return tx(ctx.db, () => {
    const row = cancelOne(ctx, jobs.byId(ctx.db, job.id)!)
    if (row.kind === 'bridge') cancelChildren(ctx, row.pipeline_id, row.id)
    processPipeline(ctx, row.pipeline_id)
    return jobs.byId(ctx.db, row.id)!
  })
}

/** Older pipelines than this are not redundant. */
const DAYS = 7

/**
 * Cancels the pipelines that a new one makes redundant: those of older commits of its ref, and their children, in a
 * project with auto-cancel (spec ci 2.5). Call it in the transaction that creates the pipeline.
 */
export function cancelRedundant(ctx: Ctx, project: Project, pipeline: PipelineRow): void {
  if (project.auto_cancel_pending_pipelines !== 'enabled' || pipeline.source === 'parent_pipeline') return
  for (const { id, rule, is_bound } of store.redundantTo(ctx.db, pipeline, addDays(ctx.now, -DAYS))) {
    if (rule === 'none') continue
    if (rule === 'interruptible') cancelJobsOf(ctx, id, (job) => job.interruptible)
    else if (is_bound === 0) cancelJobsOf(ctx, id, (job) => job.kind !== 'external')
  }
}

/** The columns that are written when a runner takes a job. There is no runner if the run was recorded elsewhere. */
export interface StartColumns {
  readonly runner_id: number | null
  readonly runner_system_id: string | null
  readonly token_digest: string | null
  /** Seconds. */
  readonly timeout: number
}

/** Gives a pending job to a runner. Undefined when it is pending no more: another runner was faster. */
export function startJob(ctx: Ctx, jobId: number, taking: StartColumns): JobRow | undefined {
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

/** The end of a job as its runner reports it. */
export interface JobResult {
  readonly status: 'success' | 'failed'
  /** Known reasons only (spec ci 1.15). */
  readonly failure_reason?: string | null | undefined
  readonly exit_code?: number | null | undefined
}

/**
 * Ends a running job as its runner reports; a `canceling` job ends `canceled` in any case (spec ci 1.11). Does nothing
 * for a job that no longer runs.
 */
export function finishJob(ctx: Ctx, job: Pick<JobRow, 'id'>, ending: JobResult): JobRow {
  return changeAndProcess(ctx, job.id, (row) => {
    if (row.status === 'canceling') return endJob(ctx, row, { status: 'canceled' })
    if (row.status !== 'running') return row
    const exit_code = ending.exit_code ?? null
    if (ending.status === 'success') return endJob(ctx, row, { status: 'success', exit_code })
    return failJob(ctx, row, ending.failure_reason ?? 'unknown_failure', exit_code)
  })
}

/** Fails an unfinished job for a reason of the instance. A `canceling` job ends `canceled`. */
export function dropJob(ctx: Ctx, job: Pick<JobRow, 'id'>, reason: string): JobRow {
  return changeAndProcess(ctx, job.id, (row) => {
    if (isOver(row.status)) return row
    return row.status === 'canceling' ? endJob(ctx, row, { status: 'canceled' }) : failJob(ctx, row, reason)
  })
}

/** Reads a job, changes it and settles its pipeline, in one transaction. */
function changeAndProcess(ctx: Ctx, jobId: number, act: (row: JobRow) => JobRow): JobRow {
  return tx(ctx.db, () => {
    const row = act(jobs.byId(ctx.db, jobId)!)
    processPipeline(ctx, row.pipeline_id)
    return row
  })
}

/** Writes the end of a job; a background job reads the coverage from its log. */
function endJob(ctx: Ctx, job: JobRow, changes: JobChanges & { status: string }): JobRow {
  const ended = changeJob(ctx, job, { ...changes, finished_at: ctx.now })
  if (job.runner_id !== null && store.option(ctx.db, job.id, 'coverage') !== null) {
    enqueue(ctx, coverageJob, { job_id: job.id })
  }
  return ended
}

/** Writes the failure of a job, and repeats it if its `retry:` requires that (spec ci 2.5). */
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

/** How often a job without `retry:` is repeated, by the reason of its failure. */
const USUAL: Readonly<Record<string, number>> = { scheduler_failure: 2 }

/** Failures after which no job is repeated. */
const NEVER: ReadonlySet<string> = new Set([
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

/** How often a job may be repeated automatically after such a failure (spec ci 2.5). Pure. */
export function retriesAfter(retry: Retry | null, reason: string, exitCode: number | null): number {
  if (NEVER.has(reason)) return 0
  return retry && covers(retry, reason, exitCode) ? retry.max : (USUAL[reason] ?? 0)
}

/** Both lists may name the failure; exit codes alone leave no room for the usual `always`. */
function covers({ when, exit_codes }: Retry, reason: string, exitCode: number | null): boolean {
  if (exit_codes !== null && exitCode !== null && exit_codes.includes(exitCode)) return true
  if (when.includes('always')) return exit_codes === null
  return when.includes(reason)
}

/** True for a failed job that is repeated automatically. */
function retriesItself(ctx: Ctx, job: JobRow): boolean {
  if (job.kind !== 'job' || job.failure_reason === null) return false
  const retry = store.optionParts<Retry>(ctx.db, job.id, 'retry')
  return job.auto_retries < retriesAfter(retry, job.failure_reason, job.exit_code)
}

const ALIVE = ['created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'canceling', 'scheduled']

/** Ends all jobs of a user's pipelines, or of a project, for one reason; each pipeline in its own short transaction. */
export function dropJobsOf(
  ctx: Ctx,
  owner: { readonly user_id: number } | { readonly project_id: number },
  reason: string,
): void {
  for (const { id } of store.openPipelines(ctx.db, owner)) tx(ctx.db, () => dropJobsIn(ctx, id, reason))
}

function dropJobsIn(ctx: Ctx, pipelineId: number, reason: string): void {
  const open = store.newestIn(ctx.db, pipelineId, ALIVE).filter(({ kind }) => kind !== 'external')
  // The job with the resource is ended last; otherwise the resource would go to a job that ends next.
  for (const job of open.toSorted((a, b) => Number(a.holds_resource) - Number(b.holds_resource))) {
    endJob(ctx, job, { status: 'failed', failure_reason: reason })
  }
  processPipeline(ctx, pipelineId)
}
