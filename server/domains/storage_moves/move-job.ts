import { enqueue, job, type Job } from '../../jobs/job.ts'
import { clearOldPlace } from './clearing.ts'
import { performMove } from './moving.ts'
import { clearingShape, orderShape, type Clearing, type Order } from './order.ts'

/** Pause before what cannot be done yet is looked at again. */
const AGAIN_MS = 1000
/** Disks may be slow, or far away. */
const lane = 'outside'

/** Moves one repository. */
export const moveOne: Job<Order> = job('storage_moves.move', { args: orderShape, lane }, (ctx, order) =>
  performMove(ctx, order, {
    again: () => enqueue(ctx, moveOne, order, { key: order.key, delay: AGAIN_MS }),
    clear: () => enqueue(ctx, clearOld, { ...order, since: ctx.now }),
  }),
)

/** Removes what a move has left behind. */
const clearOld: Job<Clearing> = job('storage_moves.clear', { args: clearingShape, lane }, (ctx, order) =>
  clearOldPlace(ctx, order, () => enqueue(ctx, clearOld, order, { delay: AGAIN_MS })),
)

export const moveJobs = [moveOne, clearOld]
