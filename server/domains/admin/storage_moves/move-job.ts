import type { Ctx } from '../../../ctx.ts'
import { enqueue, job, type Job } from '../../../jobs/job.ts'
import { clearOldPlace } from './clearing.ts'
import { performMove } from './moving.ts'
import { orderShape, type Order } from './order.ts'

/** Pauses before what cannot be done yet is looked at again: a fifth of the time that it has waited, within these. */
const PAUSE_MS = { least: 1000, most: 60_000 }
function pause({ now }: Ctx, since: string): number {
  const waited = Date.parse(now) - Date.parse(since)
  return Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, waited / 5))
}

/** Disks may be slow, or far away. */
const lane = 'outside'

/** Moves one repository. */
export const moveOne: Job<Order> = job('storage_moves.move', { args: orderShape, lane }, (ctx, order) =>
  performMove(ctx, order, {
    again: () => enqueue(ctx, moveOne, order, { key: order.key, delay: pause(ctx, order.since) }),
    clear: () => enqueue(ctx, clearOld, { ...order, since: ctx.now }),
  }),
)

/** Removes what a move has left behind. */
const clearOld: Job<Order> = job('storage_moves.clear', { args: orderShape, lane }, (ctx, order) =>
  clearOldPlace(ctx, order, () => enqueue(ctx, clearOld, order, { delay: pause(ctx, order.since) })),
)

export const moveJobs = [moveOne, clearOld]
