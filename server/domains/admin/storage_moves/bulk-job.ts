import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { enqueue, job } from '../../../jobs/job.ts'
import { Failure } from '../../../lib/fail.ts'
import { containersIn, KINDS } from './container.ts'
import { schedule } from './scheduling.ts'

/** Moves of a kind that one round of "all of a storage" schedules: only those few are read-only at a time. */
const BATCH = 20
/** Moves of one request come one after the other. */
const KEY = 'storage_moves:bulk'

/** All of a kind that is to leave a storage. */
const shape = {
  kind: z.enum(KINDS),
  source: z.string(),
  destination: z.string().nullable(),
  /** Those up to this id were looked at. */
  after: z.number(),
  actor_id: z.number().nullable(),
}
type BulkOrder = z.output<z.ZodObject<typeof shape>>

const moveAll = job('storage_moves.move_all', { args: shape, lane: 'outside' }, scheduleNext)

/** Has everything of a kind leave a storage, in the background. */
export function requestAll(ctx: Ctx, order: BulkOrder): void {
  enqueue(ctx, moveAll, order, { key: KEY })
}

/** Schedules the next few; what follows waits until they have moved. */
function scheduleNext(ctx: Ctx, order: BulkOrder): void {
  const { kind, source, destination, actor_id } = order
  const ids = containersIn(ctx.db, kind, { storage: source, after: order.after, limit: BATCH })
  tx(ctx.db, () => {
    for (const id of ids) {
      try {
        schedule(ctx, kind, id, { destination: destination ?? undefined, actor_id, key: KEY })
      } catch (error) {
        // On its way already, or gone.
        if (!(error instanceof Failure)) throw error
      }
    }
    const last = ids.at(-1)
    if (last !== undefined && ids.length === BATCH) requestAll(ctx, { ...order, after: last })
  })
}

export const bulkJobs = [moveAll]
