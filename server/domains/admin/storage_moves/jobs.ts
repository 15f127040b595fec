import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { type Job, enqueue, job } from '../../../jobs/job.ts'
import { Failure } from '../../../lib/fail.ts'
import { moveJobs } from './move-job.ts'
import { scheduleMove } from './scheduling.ts'
import { containersIn, KINDS } from './store.ts'

/** The number of moves that a bulk move schedules at a time, so that few repositories are read-only. */
const BATCH_SIZE = 20
/** The key of bulk moves. They run one after the other. */
const BULK_KEY = 'storage_moves:bulk'

/** The arguments of a bulk move: all containers of a kind in a storage. */
const shape = {
  kind: z.enum(KINDS),
  source: z.string(),
  destination: z.string().nullable(),
  /** The moves of the containers up to this id are already scheduled. */
  after: z.number(),
  actor_id: z.number().nullable(),
}
type BulkRequest = z.output<z.ZodObject<typeof shape>>

const moveStorage = job('storage_moves.move_all', { args: shape, lane: 'outside' }, scheduleNext)

/** Schedules the moves of all containers of a kind out of a storage, in the background. */
export function enqueueBulkMove(ctx: Ctx, request: BulkRequest): void {
  enqueue(ctx, moveStorage, request, { key: BULK_KEY })
}

/** Schedules the next batch of moves. The following batch waits until these have run. */
function scheduleNext(ctx: Ctx, request: BulkRequest): void {
  const { kind, source, destination, actor_id } = request
  const ids = containersIn(ctx.db, kind, { storage: source, after: request.after, limit: BATCH_SIZE })
  tx(ctx.db, () => {
    for (const id of ids) {
      try {
        scheduleMove(ctx, kind, id, { destination: destination ?? undefined, actor_id, key: BULK_KEY })
      } catch (error) {
        // The container is being moved already, or it was deleted.
        if (!(error instanceof Failure)) throw error
      }
    }
    const last = ids.at(-1)
    if (last !== undefined && ids.length === BATCH_SIZE) enqueueBulkMove(ctx, { ...request, after: last })
  })
}

const bulkJobs = [moveStorage]

export const jobs: Job[] = [...moveJobs, ...bulkJobs] as Job[]
