import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { enqueue, jobKind } from '../../../jobs/job.ts'
import { JobChanged, PipelineChanged } from '../events.ts'
import { isProtectedRef } from '../job_variables/predefined.ts'
import * as jobs from '../jobs/store.ts'
import type { JobRow } from '../jobs/store.ts'
import * as pipelines from '../pipelines/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { notifyMatchingRunners } from '../runner_protocol/queue.ts'
import { combinedStatus, effectiveStatus, isCancelableStatus, isFinished } from './status.ts'
import { sortByNeeds, namesOfNeeds, walkStages } from './gate.ts'
import * as store from './store.ts'
import type { CreatedJob, JobChanges } from './store.ts'

const args = { job_id: z.number() }

/** Starts a delayed job when it is due. */
export const startDelayedJob = jobKind('ci.start_delayed', { args })

/** Creates the pipeline of a trigger job. */
export const downstreamJob = jobKind('ci.create_downstream', { args })

/** Checks the upstream pipeline from which a job takes over the status. */
export const upstreamStatusJob = jobKind('ci.mirror_pipeline', { args })

/** Reads the test coverage from the log of a finished job. */
export const coverageJob = jobKind('ci.read_coverage', { args })

// The state machine of CI jobs and pipelines. One change leads to others: a job that ends frees its resource, and a job
// of another pipeline gets the resource, so that this pipeline must be processed. The functions therefore call each
// other and are in one file. All code that starts, ends or retries jobs uses them.

/**
 * Changes a job. Every change of a job uses this function: it writes the columns, publishes the event, wakes the runners
 * that may take the job, and frees its resource when it ends. Call it with a row that was read in the same transaction,
 * and update the pipeline afterwards (`processPipeline` or `refreshPipeline`).
 */
export function changeJob(ctx: Ctx, job: Pick<JobRow, 'id' | 'status'>, changes: JobChanges): JobRow {
  const status = changes.status ?? job.status
  const ends = isFinished(status) && !isFinished(job.status)
  const columns = { ...changes, ...(ends ? { holds_resource: false } : {}), updated_at: ctx.now }
  const row = store.updateJob(ctx.db, job.id, columns)
  if (row.status !== job.status) publishJobChange(ctx, row, job.status)
  if (row.status === 'pending' && job.status !== 'pending') notifyMatchingRunners(ctx, row)
  if (ends && row.resource_group_id !== null) grantNext(ctx, row.resource_group_id, row.pipeline_id)
  return row
}

/** Starts a created job by its `when`: then it waits for a user, for its time, or for a runner (spec ci 2.4). */
function applyWhen(ctx: Ctx, job: CreatedJob): JobRow {
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
 * Makes a job pending, or lets it wait for its resource if it has a resource group. If its deployment would replace a
 * newer one, the job fails instead (spec ci 2.4). Call it in a transaction.
 */
export function enqueueJob(ctx: Ctx, job: Pick<JobRow, 'id' | 'status'>, changes: JobChanges = {}): JobRow {
  const row = refreshProtection(ctx, store.jobById(ctx.db, job.id))
  if (store.isOutdated(ctx.db, row)) return failOutdated(ctx, row)
  if (row.resource_group_id === null) return toPending(ctx, row, changes)
  const waiting = changeJob(ctx, row, { ...changes, status: 'waiting_for_resource', scheduled_at: null })
  grantNext(ctx, row.resource_group_id, row.pipeline_id)
  return store.jobById(ctx.db, waiting.id)
}

/**
 * Removes the protection of a job if its ref is no longer protected. More users may then run the job, which must not get
 * protected variables and runners.
 */
function refreshProtection(ctx: Ctx, job: JobRow): JobRow {
  if (!job.protected) return job
  const kind = job.tag ? 'tag' : 'branch'
  if (isProtectedRef(ctx.db, job.project_id, { kind, name: job.ref })) return job
  store.unprotect(ctx.db, job.id)
  return { ...job, protected: false }
}

function failOutdated(ctx: Ctx, job: JobRow): JobRow {
  return changeJob(ctx, job, {
    status: 'failed',
    failure_reason: 'forward_deployment_failure',
    finished_at: ctx.now,
  })
}

/** Makes a job pending, so that runners can take it. For a trigger job it enqueues the creation of its pipeline. */
export function toPending(ctx: Ctx, job: JobRow, changes: JobChanges = {}): JobRow {
  const row = changeJob(ctx, job, { ...changes, status: 'pending', queued_at: ctx.now, scheduled_at: null })
  if (row.kind === 'bridge') enqueue(ctx, downstreamJob, { job_id: row.id })
  return row
}

/**
 * Gives the resource of a group, if it is free, to the next job that waits for it in any pipeline. Processes the changed
 * pipelines, except the one that the caller processes. Call it in a transaction.
 */
export function grantNext(ctx: Ctx, groupId: number, callerPipelineId?: number): void {
  const changedPipelines = new Set<number>()
  for (;;) {
    const next = store.nextForResource(ctx.db, groupId)
    if (next?.status !== 'waiting_for_resource') break
    changedPipelines.add(next.pipeline_id)
    if (!store.isOutdated(ctx.db, next)) {
      toPending(ctx, next, { holds_resource: true })
      break
    }
    failOutdated(ctx, next)
  }
  for (const id of changedPipelines) if (id !== callerPipelineId) processPipeline(ctx, id)
}

/**
 * Starts or skips every created job of a pipeline that no longer has to wait (spec ci 2.3, 2.4), and computes the status
 * of the pipeline, in one transaction. It depends only on the stored rows, so it is safe to call at any time.
 */
export function processPipeline(ctx: Ctx, pipelineId: number): void {
  tx(ctx.db, () => {
    walkStages(ctx.db, pipelineId, (job, verdict) =>
      verdict === 'skip' ? changeJob(ctx, job, { status: 'skipped' }) : applyWhen(ctx, job),
    )
    refreshPipeline(ctx, pipelineId)
  })
}

/**
 * Computes the status and the times of a pipeline from its newest jobs (spec ci 2.2, 2.3). If the status changes, it
 * publishes the event and updates the trigger job that follows the pipeline. A pipeline without jobs keeps its status.
 */
export function refreshPipeline(ctx: Ctx, pipelineId: number): void {
  tx(ctx.db, () => {
    const before = pipelines.byId(ctx.db, pipelineId)
    const standings = store.stageStatuses(ctx.db, pipelineId)
    const status = combinedStatus(
      new Set(standings.map((job) => effectiveStatus(job.status, job.allow_failure))),
    )
    if (!before || status === null || status === before.status) return
    const after = pipelines.update(ctx.db, pipelineId, {
      status,
      ...timesOf(ctx, before, status),
      updated_at: ctx.now,
      lock_version: before.lock_version + 1,
    })
    publishPipelineChange(ctx, after, before.status)
    followDownstream(ctx, after, before.status)
  })
}

function timesOf(
  ctx: Ctx,
  { id, started_at }: PipelineRow,
  status: string,
): Partial<Pick<PipelineRow, 'started_at' | 'finished_at' | 'duration'>> {
  const duration = () => (started_at === null ? {} : { duration: secondsOf(store.runs(ctx.db, id), ctx.now) })
  if (status === 'running') return { started_at: started_at ?? ctx.now, finished_at: null }
  if (isFinished(status) && status !== 'skipped') return { finished_at: ctx.now, ...duration() }
  return { finished_at: null, ...(status === 'manual' ? duration() : {}) }
}

/**
 * Updates the trigger job that follows a pipeline (`strategy: depend`, spec ci 2.4). The job succeeds if the pipeline
 * succeeds, and fails if it ends otherwise. If a finished pipeline runs again, the job becomes running again.
 */
function followDownstream(ctx: Ctx, pipeline: PipelineRow, previous: string): void {
  if (pipeline.upstream_job_id === null) return
  const bridge = jobs.byId(ctx.db, pipeline.upstream_job_id)
  if (bridge?.kind !== 'bridge' || !bridge.follows_downstream || bridge.retried) return
  const changes = isFinished(bridge.status)
    ? reopeningChanges(ctx, pipeline, previous)
    : followingChanges(ctx, bridge, pipeline.status)
  if (!changes) return
  const changed = changeJob(ctx, bridge, changes)
  if (isFinished(bridge.status)) resetAfter(ctx, changed)
  else if (changed.status === 'failed' && !changed.allow_failure) cancelAfterFailure(ctx, changed)
  processPipeline(ctx, bridge.pipeline_id)
}

/** The changes of an unfinished job that follows a pipeline with this status. Undefined if there are none. */
export function followingChanges(ctx: Ctx, bridge: JobRow, status: string): JobChanges | undefined {
  const started_at = bridge.started_at ?? ctx.now
  if (status === 'success') return { status: 'success', started_at, finished_at: ctx.now }
  if (isFinished(status)) {
    return { status: 'failed', failure_reason: 'unknown_failure', started_at, finished_at: ctx.now }
  }
  return bridge.status === 'running' ? undefined : { status: 'running', started_at }
}

/** The changes of a finished trigger job when its pipeline runs again. Undefined if the pipeline does not. */
function reopeningChanges(ctx: Ctx, { status }: PipelineRow, previous: string): JobChanges | undefined {
  if (!isFinished(previous) || isFinished(status)) return undefined
  return { status: 'running', started_at: ctx.now, finished_at: null, failure_reason: null }
}

/**
 * Resets the skipped jobs that depend on a job that runs again (`process` in spec ci 2.2): jobs of later stages, and jobs
 * that need this job or another reset job. With `isRetried` it resets manual jobs, too. Call it in a transaction, before
 * the pipeline is processed.
 */
export function resetAfter(
  ctx: Ctx,
  job: Pick<JobRow, 'name' | 'pipeline_id' | 'stage_index'>,
  isRetried = false,
): void {
  const names = new Set([job.name])
  const candidates = store
    .skippedOrManual(ctx.db, job.pipeline_id)
    .filter((row) => row.name !== job.name && (isRetried || row.status === 'skipped'))
    .map((row) => ({ row, name: row.name, needs: row.needs === null ? [] : namesOfNeeds(row.needs) }))
  for (const { row, name, needs } of sortByNeeds(candidates)) {
    if (row.stage_index <= job.stage_index && !needs.some((need) => names.has(need))) continue
    names.add(name)
    changeJob(ctx, row, { status: 'created', scheduled_at: null })
  }
}

/** Cancels the other jobs of a pipeline after a failure, if its configuration has `on_job_failure: all`. */
export function cancelAfterFailure(ctx: Ctx, failed: JobRow): void {
  const pipeline = pipelines.byId(ctx.db, failed.pipeline_id)!
  const { on_job_failure } = JSON.parse(pipeline.auto_cancel) as { on_job_failure?: string }
  if (on_job_failure === 'all') cancelPipeline(ctx, pipeline)
}

/** Cancels all unfinished jobs of a pipeline, and its child pipelines. */
export function cancelPipeline(ctx: Ctx, pipeline: Pick<PipelineRow, 'id'>): PipelineRow {
  return tx(ctx.db, () => {
    cancelJobsOf(ctx, pipeline.id, () => true)
    cancelChildren(ctx, pipeline.id)
    return pipelines.byId(ctx.db, pipeline.id)!
  })
}

/** Cancels the child pipelines of a pipeline, or of one of its trigger jobs. */
export function cancelChildren(ctx: Ctx, pipelineId: number, bridgeId?: number): void {
  for (const child of store.childPipelines(ctx.db, pipelineId)) {
    if (bridgeId === undefined || child.upstream_job_id === bridgeId) cancelPipeline(ctx, child)
  }
}

const CANCELABLE = ['created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'scheduled']

/** Cancels the unfinished jobs of a pipeline that `filter` selects. Call it in a transaction. */
export function cancelJobsOf(ctx: Ctx, pipelineId: number, filter: (job: JobRow) => boolean): void {
  const selected = store.newestIn(ctx.db, pipelineId, CANCELABLE).filter(filter)
  // The job with the resource is canceled last; otherwise another one of these jobs would get the resource.
  for (const job of selected.toSorted((a, b) => Number(a.holds_resource) - Number(b.holds_resource)))
    cancelWithoutProcessing(ctx, job)
  processPipeline(ctx, pipelineId)
}

/**
 * Cancels a job as `cancelJob` does (spec ci 1.11), but does not process its pipeline.
 */
export function cancelWithoutProcessing(ctx: Ctx, job: JobRow): JobRow {
  if (job.status === 'running' && store.cancelsGracefully(ctx.db, job.runner_id))
    return changeJob(ctx, job, { status: 'canceling' })
  if (job.status !== 'canceling' && !isCancelableStatus(job.status)) return job
  return changeJob(ctx, job, { status: 'canceled', finished_at: ctx.now, scheduled_at: null })
}

/** The start and the end of a job. The end is null while the job is running. */
export interface Run {
  readonly started_at: string
  readonly finished_at: string | null
}

/**
 * The number of whole seconds in which at least one job ran (spec ci 2.2). Overlaps count once, pauses do not count.
 * `runs` are sorted by their start.
 */
export function secondsOf(runs: readonly Run[], now: string): number {
  let total = 0
  let lastEnd = -Infinity
  for (const run of runs) {
    const start = Math.max(Date.parse(run.started_at), lastEnd)
    const end = Date.parse(run.finished_at ?? now)
    if (end <= start) continue
    total += end - start
    lastEnd = end
  }
  return Math.floor(total / 1000)
}

/** Publishes the event of a changed status of a job. For a new job `previous` is null. */
export function publishJobChange(ctx: Ctx, job: JobRow, previous: string | null): void {
  publish(ctx, JobChanged, {
    project_id: job.project_id,
    pipeline_id: job.pipeline_id,
    job_id: job.id,
    kind: job.kind,
    name: job.name,
    status: job.status,
    previous_status: previous,
    runner_id: job.runner_id,
    has_environment: job.environment !== null,
    actor_id: ctx.actor.id,
  })
}

/** Publishes the event of a changed status of a pipeline. */
function publishPipelineChange(ctx: Ctx, pipeline: PipelineRow, previous: string): void {
  publish(ctx, PipelineChanged, {
    project_id: pipeline.project_id,
    pipeline_id: pipeline.id,
    actor_id: ctx.actor.id,
    ref: pipeline.ref,
    sha: pipeline.sha,
    source: pipeline.source,
    merge_request_id: pipeline.merge_request_id,
    status: pipeline.status,
    previous_status: previous,
  })
}
