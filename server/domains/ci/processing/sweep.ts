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

/** A delayed job that is overdue by more milliseconds fails (spec ci 2.5). */
const STALE_MS = HOUR
/** Milliseconds without a request of the runner after which its job fails (spec ci 2.5). */
const SILENCE_MS = HOUR
/**
 * Milliseconds beyond the timeout of a job that a runner has for the work after the script. The runner should have
 * ended the job by then.
 */
const GRACE_MS = 15 * MINUTE
/** Milliseconds without a request of the runner after which a `canceling` job is canceled. */
const CANCELING_MS = 10 * MINUTE
/** A job that waits for more milliseconds fails (spec ci 2.5). */
const LONGEST_WAIT_MS = 24 * HOUR
/** The same limit for a job that no online runner can take. */
const WAIT_WITHOUT_RUNNER_MS = HOUR
/** A runner is online if it called within this time (spec ci 3.2). */
const ONLINE_MS = 2 * HOUR
/** The sweeper runs every minute. After a longer pause the machine slept or the instance was off. */
const GAP_MS = 5 * MINUTE

/**
 * The time since which the instance runs without a break. Silence before that does not count: while a laptop sleeps,
 * its runners do as well.
 */
export function awakeSince({ db, now }: Pick<Ctx, 'db' | 'now'>): string {
  const uptime = db.instance('ci.uptime', () => ({ since: now, last: now }), { dependsOnRows: true })
  if (Date.parse(now) - Date.parse(uptime.last) > GAP_MS) uptime.since = now
  uptime.last = now
  return uptime.since
}

/** The time so many milliseconds before now. */
function ago({ now }: Pick<Ctx, 'now'>, ms: number): string {
  return isoTime(Date.parse(now) - ms)
}

/** Starts a delayed job at its time; a job that is an hour late fails. Does nothing for other jobs. */
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

/** Starts delayed jobs that were not started in time, for example because the machine was off. */
export function sweepDelayed(ctx: Ctx): void {
  for (const { id } of store.dueDelayed(ctx.db, ctx.now)) startDelayed(ctx, id)
}

/**
 * Ends running jobs after a long silence of their runner or beyond their timeout, and jobs that are long `canceling`.
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
 * Grants free resources that waiting jobs did not get because the job with the resource was deleted, or the order of
 * the group changed.
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

/** Ends pending jobs that no runner takes; runners get an hour to come back after the machine slept. */
export function sweepPending(ctx: Ctx): void {
  if (awakeSince(ctx) > ago(ctx, WAIT_WITHOUT_RUNNER_MS)) return
  const waiting = store.pendingSince(ctx.db, ago(ctx, WAIT_WITHOUT_RUNNER_MS))
  const online = store.runnersSeenSince(ctx.db, ago(ctx, ONLINE_MS))
  const cache = new Map<string, boolean>()
  for (const job of waiting) {
    if (job.since < ago(ctx, LONGEST_WAIT_MS) || !hasRunner(ctx, job, online, cache)) {
      dropJob(ctx, job, 'stuck_or_timeout_failure')
    }
  }
}

/** Jobs of one project with the same tags suit the same runners. */
function hasRunner(
  ctx: Ctx,
  job: PendingJob,
  online: readonly number[],
  cache: Map<string, boolean>,
): boolean {
  const kind = JSON.stringify([job.project_id, job.protected, job.tag_list])
  const available = cache.get(kind) ?? runnersFor(ctx.db, job.id, online).length > 0
  cache.set(kind, available)
  return available
}
