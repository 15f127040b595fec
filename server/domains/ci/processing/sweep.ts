import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { JobRow } from '../jobs/store.ts'
import { ago, awakeSince, later } from './uptime.ts'
import { startDelayed } from './delayed.ts'
import { toPending } from './enqueue.ts'
import { processPipeline } from './process.ts'
import { grantNext } from './resources.ts'
import { dropJob } from './run.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Silence of a runner after which its job is given up (spec ci 2.5). */
const SILENCE_MS = HOUR
/** Time beyond its timeout that a runner has for what follows a script; it should have ended the job by itself. */
const GRACE_MS = 15 * MINUTE
/** Silence after which a job that is being called off is over. */
const CANCELING_MS = 10 * MINUTE
/** How much one run takes on; the next one goes on. */
const PORTION = 1000

/** Delayed jobs that nobody started in time, as after the machine was off. */
export function sweepDelayed(ctx: Ctx): void {
  const due = ctx.db.many<{ id: number }>(
    `SELECT id FROM ci_jobs INDEXED BY ci_jobs_scheduled WHERE status = 'scheduled' AND scheduled_at <= ? LIMIT ${PORTION}`,
    ctx.now,
  )
  for (const { id } of due) startDelayed(ctx, id)
}

type Held = Pick<JobRow, 'id' | 'status' | 'started_at' | 'timeout' | 'heartbeat_at'>

/** Running jobs whose runner is silent or lets them run too long, and those that are being called off for too long. */
export function sweepRunning(ctx: Ctx): void {
  const since = awakeSince(ctx)
  const running = ctx.db.many<Held>(
    `SELECT id, status, started_at, timeout, heartbeat_at FROM ci_jobs INDEXED BY ci_jobs_running
     WHERE status IN ('running', 'canceling') AND kind = 'job'`,
  )
  for (const job of running) {
    const reason = whyGivenUp(ctx, job, since)
    if (reason) dropJob(ctx, job, reason)
  }
}

function whyGivenUp(ctx: Ctx, job: Held, since: string): string | null {
  const started = job.started_at ?? ctx.now
  const silence = job.status === 'canceling' ? CANCELING_MS : SILENCE_MS
  if (later(job.heartbeat_at ?? started, since) < ago(ctx, silence)) return 'stuck_or_timeout_failure'
  if (job.timeout === null || since >= ago(ctx, GRACE_MS)) return null
  return started < ago(ctx, job.timeout * 1000 + GRACE_MS) ? 'job_execution_timeout' : null
}

/** Lines for a resource that nobody has and nobody was told of: its job was deleted, or its order changed. */
export function sweepResources(ctx: Ctx): void {
  const groups = ctx.db.many<{ id: number }>(
    `SELECT DISTINCT resource_group_id AS id FROM ci_jobs j INDEXED BY ci_jobs_awaiting
     WHERE status = 'waiting_for_resource' AND resource_group_id IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM ci_jobs h INDEXED BY ci_jobs_holding
       WHERE h.resource_group_id = j.resource_group_id AND h.holds_resource = 1)`,
  )
  for (const { id } of groups) tx(ctx.db, () => grantNext(ctx, id))
  freeWaiting(ctx)
}

/** Jobs whose resource group is gone need not wait for it. */
function freeWaiting(ctx: Ctx): void {
  const freed = ctx.db.many<JobRow>(
    `SELECT * FROM ci_jobs INDEXED BY ci_jobs_awaiting
     WHERE status = 'waiting_for_resource' AND resource_group_id IS NULL LIMIT ${PORTION}`,
  )
  for (const job of freed) {
    tx(ctx.db, () => {
      toPending(ctx, job)
      processPipeline(ctx, job.pipeline_id)
    })
  }
}
