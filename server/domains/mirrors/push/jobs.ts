import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { cron, enqueue, job, withdraw, type CronLine, type Job } from '../../../jobs/job.ts'
import { isoTime } from '../../../lib/clock.ts'
import { TOO_LONG } from '../service-failures.ts'
import { supersede } from '../service-running.ts'
import { failed } from './states.ts'
import { stuck, type RemoteMirrorRow } from './store.ts'
import { updateMirror } from './update.ts'

const HOUR_MS = 3_600_000

/** Updates that take longer than they may have failed (spec administration 5.2, Max run). Called every few minutes. */
function failStuck(ctx: Ctx): void {
  const ago = (ms: number) => isoTime(Date.parse(ctx.now) - ms)
  for (const mirror of stuck(ctx.db, { first: ago(3 * HOUR_MS), later: ago(HOUR_MS) })) {
    failed(ctx, mirror, TOO_LONG)
    supersede(ctx, `push:${mirror.id}`)
  }
}

const SECOND_MS = 1000

const MINUTE_MS = 60 * SECOND_MS

/** Between the starts of two updates that follow changes of refs: what comes in between goes with the second. */
const AFTER_CHANGE_MS = 5 * SECOND_MS

/** How long after a failed update the next attempt starts (spec administration 5.2, Spacing). */
function retryAfter(row: RemoteMirrorRow): number {
  return (row.only_protected_branches ? 1 : 5) * MINUTE_MS
}

/** How long a change of a ref waits for its update; one whose address or credentials are new does not wait. */
function waitOf({ now }: Pick<Ctx, 'now'>, row: RemoteMirrorRow): number {
  const { last_update_started_at: begun, update_status } = row
  const isAnew = update_status === 'finished' && row.last_update_at === null
  if (begun === null || isAnew) return 0
  return Math.max(0, Date.parse(begun) + AFTER_CHANGE_MS - Date.parse(now))
}

/** Brings a mirror to what the project has. */
const pushToMirror = job(
  'mirrors.push',
  { args: { mirror_id: z.number() }, lane: 'outside' },
  (ctx, { mirror_id }) => updateMirror(ctx, mirror_id, (row) => requestAfter(ctx, row, retryAfter(row))),
)

/** Asks for a mirror to be updated; while one such request waits, another adds nothing. */
export function requestUpdate(ctx: Ctx, row: RemoteMirrorRow): void {
  requestAfter(ctx, row, waitOf(ctx, row))
}

/** Asks for a mirror to be updated at once, in place of a request that waits; after the update that is under way. */
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

/** Takes back what was asked for: it waits for something that holds no more. What is under way is ended otherwise. */
export function forgetRequests(ctx: Pick<Ctx, 'db'>, row: RemoteMirrorRow): void {
  if (row.update_status !== 'started') withdraw(ctx, pushToMirror, { mirror_id: row.id })
}

export const jobs: Job[] = [pushToMirror as Job]

export const crons: CronLine[] = [cron('mirrors.fail_stuck', '*/10 * * * *', failStuck)]
