import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { cron, enqueue, job, withdraw, type CronLine, type Job } from '../../../jobs/job.ts'
import { retryAfter, waitOf } from './spacing.ts'
import type { RemoteMirrorRow } from './store.ts'
import { failStuck } from './stuck.ts'
import { updateMirror } from './update.ts'

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
