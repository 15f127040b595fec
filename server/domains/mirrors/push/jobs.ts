import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { cron, enqueue, job, withdraw, type CronLine, type Job } from '../../../jobs/job.ts'
import { cancelRun } from '../../../jobs/runs.ts'
import { isoTime } from '../../../lib/clock.ts'
import { TOO_LONG } from '../service-failures.ts'
import { recordFailure, updateMirror } from './update.ts'
import { stuck, type RemoteMirrorRow } from './store.ts'

const HOUR_MS = 3_600_000

/**
 * Records updates as failed that exceeded their time limit (spec administration 5.2, Max run). A cron calls it every
 * few minutes.
 */
function failStuck(ctx: Ctx): void {
  const ago = (ms: number) => isoTime(Date.parse(ctx.now) - ms)
  for (const mirror of stuck(ctx.db, { first: ago(3 * HOUR_MS), later: ago(HOUR_MS) })) {
    recordFailure(ctx, mirror, TOO_LONG)
    void cancelRun(ctx, `push:${mirror.id}`)
  }
}

const SECOND_MS = 1000

const MINUTE_MS = 60 * SECOND_MS

/**
 * Minimum time between the starts of two updates after ref changes. The second update includes all changes in between.
 */
const MIN_INTERVAL_MS = 5 * SECOND_MS

/** The delay of the next attempt after a failed update, in milliseconds (spec administration 5.2, Spacing). */
function retryDelayOf(row: RemoteMirrorRow): number {
  return (row.only_protected_branches ? 1 : 5) * MINUTE_MS
}

/** The delay of the update after a ref change, in milliseconds; 0 for a mirror with a new address or new credentials. */
function changeDelayOf({ now }: Pick<Ctx, 'now'>, row: RemoteMirrorRow): number {
  const { last_update_started_at: startedAt, update_status } = row
  const isReset = update_status === 'finished' && row.last_update_at === null
  if (startedAt === null || isReset) return 0
  return Math.max(0, Date.parse(startedAt) + MIN_INTERVAL_MS - Date.parse(now))
}

/** Updates a push mirror. */
const pushToMirror = job(
  'mirrors.push',
  { args: { mirror_id: z.number() }, lane: 'outside' },
  (ctx, { mirror_id }) => updateMirror(ctx, mirror_id, (row) => requestAfter(ctx, row, retryDelayOf(row))),
)

/** Enqueues an update of a push mirror after a ref change, unless one is already waiting. */
export function requestUpdate(ctx: Ctx, row: RemoteMirrorRow): void {
  requestAfter(ctx, row, changeDelayOf(ctx, row))
}

/** Enqueues an update without delay and withdraws a waiting one. It starts after the running update, if there is one. */
export function requestUpdateNow(ctx: Ctx, row: RemoteMirrorRow): void {
  tx(ctx.db, () => {
    withdrawRequests(ctx, row)
    requestAfter(ctx, row, 0)
  })
}

function requestAfter(ctx: Ctx, { id }: RemoteMirrorRow, delay: number): void {
  const name = `remote_mirror:${id}`
  enqueue(ctx, pushToMirror, { mirror_id: id }, { key: name, once: name, delay })
}

/** Withdraws a waiting update. `cancelRun` ends a running one. */
export function withdrawRequests(ctx: Pick<Ctx, 'db'>, row: RemoteMirrorRow): void {
  if (row.update_status !== 'started') withdraw(ctx, pushToMirror, { mirror_id: row.id })
}

export const jobs: Job[] = [pushToMirror as Job]

export const crons: CronLine[] = [cron('mirrors.fail_stuck', '*/10 * * * *', failStuck)]
