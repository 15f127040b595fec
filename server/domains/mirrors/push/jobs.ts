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

/** Fails updates that exceeded their time (spec administration 5.2, Max run). A cron calls it every few minutes. */
function failStuck(ctx: Ctx): void {
  const ago = (ms: number) => isoTime(Date.parse(ctx.now) - ms)
  for (const mirror of stuck(ctx.db, { first: ago(3 * HOUR_MS), later: ago(HOUR_MS) })) {
    recordFailure(ctx, mirror, TOO_LONG)
    void cancelRun(ctx, `push:${mirror.id}`)
  }
}

const SECOND_MS = 1000

const MINUTE_MS = 60 * SECOND_MS

/** Least time between the starts of two updates after ref changes. The second takes all changes in between. */
const AFTER_CHANGE_MS = 5 * SECOND_MS

/** The delay of the next attempt after a failed update, ms (spec administration 5.2, Spacing). */
function retryAfter(row: RemoteMirrorRow): number {
  return (row.only_protected_branches ? 1 : 5) * MINUTE_MS
}

/** The delay of the update after a ref change, ms. A mirror with a new address or credentials has none. */
function waitOf({ now }: Pick<Ctx, 'now'>, row: RemoteMirrorRow): number {
  const { last_update_started_at: begun, update_status } = row
  const isAnew = update_status === 'finished' && row.last_update_at === null
  if (begun === null || isAnew) return 0
  return Math.max(0, Date.parse(begun) + AFTER_CHANGE_MS - Date.parse(now))
}

/** Updates a push mirror. */
const pushToMirror = job(
  'mirrors.push',
  { args: { mirror_id: z.number() }, lane: 'outside' },
  (ctx, { mirror_id }) => updateMirror(ctx, mirror_id, (row) => requestAfter(ctx, row, retryAfter(row))),
)

/** Enqueues an update of a push mirror, unless one is waiting. */
export function requestUpdate(ctx: Ctx, row: RemoteMirrorRow): void {
  requestAfter(ctx, row, waitOf(ctx, row))
}

/** Enqueues an update without delay, instead of a waiting one. It runs after a running one. */
export function requestUpdateNow(ctx: Ctx, row: RemoteMirrorRow): void {
  tx(ctx.db, () => {
    forgetRequests(ctx, row)
    requestAfter(ctx, row, 0)
  })
}

function requestAfter(ctx: Ctx, { id }: RemoteMirrorRow, delay: number): void {
  const name = `remote_mirror:${id}`
  enqueue(ctx, pushToMirror, { mirror_id: id }, { key: name, once: name, delay })
}

/** Removes a waiting update. A running one is ended by `cancelRun`. */
export function forgetRequests(ctx: Pick<Ctx, 'db'>, row: RemoteMirrorRow): void {
  if (row.update_status !== 'started') withdraw(ctx, pushToMirror, { mirror_id: row.id })
}

export const jobs: Job[] = [pushToMirror as Job]

export const crons: CronLine[] = [cron('mirrors.fail_stuck', '*/10 * * * *', failStuck)]
