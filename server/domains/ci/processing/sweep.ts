import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { isoTime } from '../../../lib/clock.ts'
import * as jobs from '../jobs/store.ts'
import { runnersFor } from '../runner_protocol/store-queue.ts'
import { dropJob } from './run.ts'
import { enqueueJob, grantNext, processPipeline, toPending } from './state.ts'
import * as store from './store-sweep.ts'
import type { PendingJob, RunningJob } from './store-sweep.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A delayed job that is overdue by more than this fails (spec ci 2.5). */
const STALE_MS = HOUR
/** A job fails if its runner sends no request for this time (spec ci 2.5). */
const SILENCE_MS = HOUR
/** The time that a runner has after the timeout of a job, for the work after the script. */
const GRACE_MS = 15 * MINUTE
/** A `canceling` job is canceled if its runner sends no request for this time. */
const CANCELING_MS = 10 * MINUTE
/** A job that waits longer for a runner fails (spec ci 2.5). */
const MAX_WAIT_MS = 24 * HOUR
/** A job that no online runner can take fails after this time. */
const MAX_WAIT_WITHOUT_RUNNER_MS = HOUR
/** A runner is online if it has sent a request within this time (spec ci 3.2). */
const ONLINE_MS = 2 * HOUR
/** The sweeper runs every minute. After a longer pause the machine must have slept or the instance was stopped. */
const GAP_MS = 5 * MINUTE

/**
 * The time since when the instance has been running without a pause. A runner's silence before that time does not count,
 * because while a laptop sleeps, its runners do not run either.
 */
export function awakeSince({ db, now }: Pick<Ctx, 'db' | 'now'>): string {
  const uptime = db.instance('ci.uptime', () => ({ since: now, last: now }), { dependsOnRows: true })
  if (Date.parse(now) - Date.parse(uptime.last) > GAP_MS) uptime.since = now
  uptime.last = now
  return uptime.since
}

/** The time `ms` milliseconds before now. */
function ago({ now }: Pick<Ctx, 'now'>, ms: number): string {
  return isoTime(Date.parse(now) - ms)
}

/** Starts a delayed job that is due, or fails it if it is too late. Does nothing for other jobs. */
export function startDelayed(ctx: Ctx, jobId: number): void {
  tx(ctx.db, () => {
    const job = jobs.byId(ctx.db, jobId)
    if (job?.status !== 'scheduled' || job.scheduled_at === null || job.scheduled_at > ctx.now) return
    if (Date.parse(ctx.now) - Date.parse(job.scheduled_at) > STALE_MS) {
      dropJob(ctx, job, 'stale_schedule')
      return
    }
    enqueueJob(ctx, job)
    processPipeline(ctx, job.pipeline_id)
  })
}

/** Starts delayed jobs that were not started when they were due, for example because the machine was off. */
export function sweepDelayed(ctx: Ctx): void {
  for (const { id } of store.dueDelayed(ctx.db, ctx.now)) startDelayed(ctx, id)
}

/**
 * Fails running jobs after a long silence of their runner or after their timeout, and cancels jobs that have been
 * `canceling` for too long.
 */
export function sweepRunning(ctx: Ctx): void {
  const since = awakeSince(ctx)
  for (const job of store.runningJobs(ctx.db)) {
    const reason = failureReasonOf(ctx, job, since)
    if (reason) dropJob(ctx, job, reason)
  }
}

function failureReasonOf(ctx: Ctx, job: RunningJob, since: string): string | null {
  const started = job.started_at ?? ctx.now
  const silence = job.status === 'canceling' ? CANCELING_MS : SILENCE_MS
  const lastSeen = job.heartbeat_at ?? started
  if ((lastSeen > since ? lastSeen : since) < ago(ctx, silence)) return 'stuck_or_timeout_failure'
  if (job.timeout === null || since >= ago(ctx, GRACE_MS)) return null
  return started < ago(ctx, job.timeout * 1000 + GRACE_MS) ? 'job_execution_timeout' : null
}

/**
 * Gives free resources to waiting jobs. A resource may be free although a job waits for it, because the job that held it
 * was deleted or the process mode of the group changed.
 */
export function sweepResources(ctx: Ctx): void {
  for (const { id } of store.groupsWithFreeResource(ctx.db)) tx(ctx.db, () => grantNext(ctx, id))
  for (const job of store.waitingWithoutGroup(ctx.db)) {
    tx(ctx.db, () => {
      toPending(ctx, job)
      processPipeline(ctx, job.pipeline_id)
    })
  }
}

/** Fails pending jobs that no runner takes. After a pause of the machine it first waits an hour for the runners. */
export function sweepPending(ctx: Ctx): void {
  if (awakeSince(ctx) > ago(ctx, MAX_WAIT_WITHOUT_RUNNER_MS)) return
  const waiting = store.pendingSince(ctx.db, ago(ctx, MAX_WAIT_WITHOUT_RUNNER_MS))
  const online = store.runnersSeenSince(ctx.db, ago(ctx, ONLINE_MS))
  const cache = new Map<string, boolean>()
  for (const job of waiting) {
    if (job.since < ago(ctx, MAX_WAIT_MS) || !hasRunner(ctx, job, online, cache)) {
      dropJob(ctx, job, 'stuck_or_timeout_failure')
    }
  }
}

/** Whether an online runner can take a job. Cached for jobs of the same project, tags and protection. */
function hasRunner(
  ctx: Ctx,
  job: PendingJob,
  online: readonly number[],
  cache: Map<string, boolean>,
): boolean {
  const key = JSON.stringify([job.project_id, job.protected, job.tag_list])
  const available = cache.get(key) ?? runnersFor(ctx.db, job.id, online).length > 0
  cache.set(key, available)
  return available
}
