import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { cron, enqueue, job, type CronLine, type Job } from '../../../jobs/job.ts'
import { cancelRun } from '../../../jobs/runs.ts'
import { isoTime } from '../../../lib/clock.ts'
import { settingsOf } from '../../settings/index.ts'
import { TOO_LONG } from '../service-failures.ts'
import { timeAfter, recordFailure, saveState } from './states.ts'
import * as store from './store.ts'
import { updateProject } from './update.ts'

/** Minimum time between the starts of two requested updates (spec administration 5.3). */
const MIN_INTERVAL_MS = 5 * 60_000
const HOUR_MS = 3_600_000

/** Updates a project from its upstream repository. */
const pull = job('mirrors.pull', { args: { project_id: z.number() }, lane: 'outside' }, (ctx, args) =>
  updateProject(ctx, args.project_id),
)

function enqueuePull(ctx: Ctx, projectId: number, delay: number): void {
  const name = `pull_mirror:${projectId}`
  enqueue(ctx, pull, { project_id: projectId }, { key: name, once: name, delay })
}

/**
 * Schedules an update of a project for five minutes after the last one started, or now for a new address. Resets the
 * number of failures.
 */
export function requestPull(ctx: Ctx, projectId: number, { isNew = false } = {}): void {
  tx(ctx.db, () => {
    const row = store.find(ctx.db, projectId)
    const startedAt = isNew ? null : (row?.last_update_started_at ?? null)
    const wait =
      startedAt === null ? 0 : Math.max(0, Date.parse(startedAt) + MIN_INTERVAL_MS - Date.parse(ctx.now))
    const isRunning = row?.update_status === 'started' && !isNew
    saveState(ctx, projectId, {
      ...(isRunning ? {} : { update_status: 'scheduled' }),
      ...(isNew ? { last_error: null, diverged: [] } : {}),
      retry_count: 0,
      next_update_at: timeAfter(ctx, wait),
    })
    enqueuePull(ctx, projectId, wait)
  })
}

/** Enqueues the removal of upstream refs of a project that is no longer a pull mirror. */
export function requestRefRemoval(ctx: Ctx, projectId: number): void {
  enqueuePull(ctx, projectId, 0)
}

/**
 * Enqueues due updates, and records running updates as failed that exceeded their time limit. A cron calls it every few
 * minutes.
 */
function enqueueDue(ctx: Ctx): void {
  const ago = (ms: number) => isoTime(Date.parse(ctx.now) - ms)
  for (const row of store.stuck(ctx.db, { first: ago(3 * HOUR_MS), later: ago(HOUR_MS) })) {
    recordFailure(ctx, row.project_id, TOO_LONG)
    void cancelRun(ctx, `pull:${row.project_id}`)
  }
  const capacity = settingsOf(ctx).mirror_max_capacity - store.countRunning(ctx.db)
  if (capacity <= 0) return
  for (const { project_id } of store.due(ctx.db, ctx.now, capacity)) enqueuePull(ctx, project_id, 0)
}

export const jobs: Job[] = [pull as Job]

export const crons: CronLine[] = [cron('mirrors.pull_due', '*/3 * * * *', enqueueDue)]
