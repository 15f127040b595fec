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
import { tickQueues } from '../runner_protocol/queue.ts'
import { composite, wordOf, isCancelableStatus, isOver } from './status.ts'
import { byNeeds, namesOfNeeds, walkStages } from './gate.ts'
import * as store from './store.ts'
import type { CreatedJob, JobChanges } from './store.ts'

const args = { job_id: z.number() }

/** Starts a delayed job at its time. */
export const startDelayedJob = jobKind('ci.start_delayed', { args })

/** Creates the pipeline of a trigger job. */
export const downstreamJob = jobKind('ci.create_downstream', { args })

/** Checks the pipeline of another project from which a job takes its status. */
export const mirrorJob = jobKind('ci.mirror_pipeline', { args })

/** Reads the test coverage from the log of a finished job. */
export const coverageJob = jobKind('ci.read_coverage', { args })

// The state machine of CI jobs and pipelines. One change leads to the next: a job that ends frees its resource, the job
// that gets the resource belongs to another pipeline, and that pipeline moves on. So these functions call each other,
// and they are in one file. All code that starts, ends or retries jobs calls them.

/**
 * Every change of a job goes through this function. It writes the columns, publishes the event, wakes the runners that
 * may take the job, and passes on its resource at its end. Call it in a transaction, with a row that was read in it,
 * and update the pipeline afterwards (`processPipeline` or `refreshPipeline`).
 */
export function changeJob(ctx: Ctx, job: Pick<JobRow, 'id' | 'status'>, changes: JobChanges): JobRow {
  const status = changes.status ?? job.status
  const ends = isOver(status) && !isOver(job.status)
  const all = { ...changes, ...(ends ? { holds_resource: false } : {}), updated_at: ctx.now }
  const row = store.updateJob(ctx.db, job.id, all)
  if (row.status !== job.status) publishJobChange(ctx, row, job.status)
  if (row.status === 'pending' && job.status !== 'pending') tickQueues(ctx, row)
  if (ends && row.resource_group_id !== null) grantNext(ctx, row.resource_group_id, row.pipeline_id)
  return row
}

/** Applies the `when` of a created job: it waits for its time, for a user, or for a runner (spec ci 2.4). */
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
 * Offers a job to the runners, or queues it for its resource if it has a resource group. A deployment that would
 * replace a newer one in its environment fails instead (spec ci 2.4). Call it in a transaction.
 */
export function enqueueJob(ctx: Ctx, job: Pick<JobRow, 'id' | 'status'>, changes: JobChanges = {}): JobRow {
  const row = withoutLostProtection(ctx, store.jobById(ctx.db, job.id))
  if (store.isOutdated(ctx.db, row)) return failOutdated(ctx, row)
  if (row.resource_group_id === null) return toPending(ctx, row, changes)
  const waiting = changeJob(ctx, row, { ...changes, status: 'waiting_for_resource', scheduled_at: null })
  grantNext(ctx, row.resource_group_id, row.pipeline_id)
  return store.jobById(ctx.db, waiting.id)
}

/**
 * When a ref is no longer protected, more users may run its jobs. They must not get protected variables and runners.
 */
function withoutLostProtection(ctx: Ctx, job: JobRow): JobRow {
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

/** Makes a job ready to be taken; for a trigger job this starts the creation of its pipeline. */
export function toPending(ctx: Ctx, job: JobRow, changes: JobChanges = {}): JobRow {
  const row = changeJob(ctx, job, { ...changes, status: 'pending', queued_at: ctx.now, scheduled_at: null })
  if (row.kind === 'bridge') enqueue(ctx, downstreamJob, { job_id: row.id })
  return row
}

/**
 * Gives a free resource to the next job in line, in whichever pipeline it is. Settles all pipelines that this changes
 * but `own`, which is up to the caller. Call it in a transaction.
 */
export function grantNext(ctx: Ctx, groupId: number, own?: number): void {
  const touched = new Set<number>()
  for (;;) {
    const next = store.nextForResource(ctx.db, groupId)
    if (next?.status !== 'waiting_for_resource') break
    touched.add(next.pipeline_id)
    if (!store.isOutdated(ctx.db, next)) {
      toPending(ctx, next, { holds_resource: true })
      break
    }
    failOutdated(ctx, next)
  }
  for (const id of touched) if (id !== own) processPipeline(ctx, id)
}

/**
 * Moves every created job of a pipeline that no longer has to wait (spec ci 2.3, 2.4), and computes the pipeline's
 * status. Safe to call at any time and any number of times: it depends only on the stored rows, in one transaction.
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
 * Computes the status and the times of a pipeline from its newest jobs (spec ci 2.2, 2.3). Publishes a change of
 * status, and updates the trigger job that follows the pipeline. A pipeline without jobs keeps its status.
 */
export function refreshPipeline(ctx: Ctx, pipelineId: number): void {
  tx(ctx.db, () => {
    const before = pipelines.byId(ctx.db, pipelineId)
    const words = store.jobStandings(ctx.db, pipelineId).map((job) => wordOf(job.status, job.allow_failure))
    const status = composite(new Set(words))
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
  if (isOver(status) && status !== 'skipped') return { finished_at: ctx.now, ...duration() }
  return { finished_at: null, ...(status === 'manual' ? duration() : {}) }
}

/**
 * Updates the trigger job of a pipeline if it follows it (`strategy: depend`; spec ci 2.4). The job succeeds with the
 * pipeline and fails with every other end. A pipeline that runs again after its end opens the trigger job again.
 */
function followDownstream(ctx: Ctx, pipeline: PipelineRow, previous: string): void {
  if (pipeline.upstream_job_id === null) return
  const bridge = jobs.byId(ctx.db, pipeline.upstream_job_id)
  if (bridge?.kind !== 'bridge' || !bridge.follows_downstream || bridge.retried) return
  const changes = isOver(bridge.status)
    ? reopened(ctx, pipeline, previous)
    : followingChanges(ctx, bridge, pipeline.status)
  if (!changes) return
  const changed = changeJob(ctx, bridge, changes)
  if (isOver(bridge.status)) resetAfter(ctx, changed)
  else if (changed.status === 'failed' && !changed.allow_failure) cancelAfterFailure(ctx, changed)
  processPipeline(ctx, bridge.pipeline_id)
}

/** The changes of a trigger job that follows a pipeline with this status; undefined if there are none. */
export function followingChanges(ctx: Ctx, bridge: JobRow, status: string): JobChanges | undefined {
  const started_at = bridge.started_at ?? ctx.now
  if (status === 'success') return { status: 'success', started_at, finished_at: ctx.now }
  if (isOver(status)) {
    return { status: 'failed', failure_reason: 'unknown_failure', started_at, finished_at: ctx.now }
  }
  return bridge.status === 'running' ? undefined : { status: 'running', started_at }
}

function reopened(ctx: Ctx, { status }: PipelineRow, previous: string): JobChanges | undefined {
  if (!isOver(previous) || isOver(status)) return undefined
  return { status: 'running', started_at: ctx.now, finished_at: null, failure_reason: null }
}

/**
 * Resets the jobs that were skipped after a job that runs again: jobs of later stages, and jobs that need it or another
 * one that is reset (`process` in spec ci 2.2); with `isRetried` manual jobs as well. Call it in a transaction, before
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
    .filter((createdJob) => createdJob.name !== job.name && (isRetried || createdJob.status === 'skipped'))
    .map((createdJob) => ({
      row: createdJob,
      name: createdJob.name,
      needs: createdJob.needs === null ? [] : namesOfNeeds(createdJob.needs),
    }))
  for (const { row, name, needs } of byNeeds(candidates)) {
    if (row.stage_index <= job.stage_index && !needs.some((need) => names.has(need))) continue
    names.add(name)
    changeJob(ctx, row, { status: 'created', scheduled_at: null })
  }
}

/** Cancels the other jobs of a pipeline after a failure if it has `on_job_failure: all`. */
export function cancelAfterFailure(ctx: Ctx, failed: JobRow): void {
  const pipeline = pipelines.byId(ctx.db, failed.pipeline_id)!
  const { on_job_failure } = JSON.parse(pipeline.auto_cancel) as { on_job_failure?: string }
  if (on_job_failure === 'all') cancelPipeline(ctx, pipeline)
}

/** Cancels every unfinished job of a pipeline, and the child pipelines that it created. */
export function cancelPipeline(ctx: Ctx, pipeline: Pick<PipelineRow, 'id'>): PipelineRow {
  return tx(ctx.db, () => {
    cancelJobsOf(ctx, pipeline.id, () => true)
    cancelChildren(ctx, pipeline.id)
    return pipelines.byId(ctx.db, pipeline.id)!
  })
}

/** Cancels the child pipelines that a pipeline, or one trigger job of it, created in its own project. */
export function cancelChildren(ctx: Ctx, pipelineId: number, bridgeId?: number): void {
  for (const child of store.childPipelines(ctx.db, pipelineId)) {
    if (bridgeId === undefined || child.upstream_job_id === bridgeId) cancelPipeline(ctx, child)
  }
}

const CANCELABLE = ['created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'scheduled']

/** Cancels those jobs of a pipeline that are not over and `isMeant`. Call it in a transaction. */
export function cancelJobsOf(ctx: Ctx, pipelineId: number, isMeant: (job: JobRow) => boolean): void {
  const open = store.newestIn(ctx.db, pipelineId, CANCELABLE).filter(isMeant)
  // The job with the resource is canceled last; otherwise the resource would go to a job that is canceled next.
  for (const job of open.toSorted((a, b) => Number(a.holds_resource) - Number(b.holds_resource)))
    cancelOne(ctx, job)
  processPipeline(ctx, pipelineId)
}

/**
 * Cancels one job immediately, or by the status `canceling` if its runner can end the work gracefully (spec ci 1.11).
 * The caller updates the pipeline.
 */
export function cancelOne(ctx: Ctx, job: JobRow): JobRow {
  if (job.status === 'running' && store.cancelsGracefully(ctx.db, job.runner_id))
    return changeJob(ctx, job, { status: 'canceling' })
  if (job.status !== 'canceling' && !isCancelableStatus(job.status)) return job
  return changeJob(ctx, job, { status: 'canceled', finished_at: ctx.now, scheduled_at: null })
}

/** The start and end of a job; without an end it still runs. */
export interface Run {
  readonly started_at: string
  readonly finished_at: string | null
}

/**
 * The number of whole seconds in which at least one job ran: overlaps count once, pauses do not (spec ci 2.2). `runs`
 * by their begin.
 */
export function secondsOf(runs: readonly Run[], now: string): number {
  let total = 0
  let until = -Infinity
  for (const run of runs) {
    const start = Math.max(Date.parse(run.started_at), until)
    const end = Date.parse(run.finished_at ?? now)
    if (end <= start) continue
    total += end - start
    until = end
  }
  return Math.floor(total / 1000)
}

/** Publishes that the status of a job changed, or that the job was created (`previous` null). */
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

/** Publishes that the status of a pipeline changed. */
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
