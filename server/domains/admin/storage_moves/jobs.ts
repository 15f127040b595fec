import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { type Job, enqueue, job } from '../../../jobs/job.ts'
import { Failure } from '../../../lib/fail.ts'
import { moveJobs } from './move-job.ts'
import { schedule } from './scheduling.ts'
import { containersIn, KINDS } from './store.ts'

/** Moves that one round of a bulk move schedules: only those few repositories are read-only at a time. */
const BATCH = 20
/** Bulk moves run one after the other. */
const KEY = 'storage_moves:bulk'

/** Moves everything of a kind out of a storage. */
const shape = {
  kind: z.enum(KINDS),
  source: z.string(),
  destination: z.string().nullable(),
  /** Containers up to this id are done. */
  after: z.number(),
  actor_id: z.number().nullable(),
}
type BulkRequest = z.output<z.ZodObject<typeof shape>>

const moveAll = job('storage_moves.move_all', { args: shape, lane: 'outside' }, scheduleNext)

/** Schedules the moves of everything of a kind out of a storage, in the background. */
export function requestAll(ctx: Ctx, request: BulkRequest): void {
  enqueue(ctx, moveAll, request, { key: KEY })
}

/** Schedules the next few; the others wait until these have moved. */
function scheduleNext(ctx: Ctx, request: BulkRequest): void {
  const { kind, source, destination, actor_id } = request
  const ids = containersIn(ctx.db, kind, { storage: source, after: request.after, limit: BATCH })
  tx(ctx.db, () => {
    for (const id of ids) {
      try {
        schedule(ctx, kind, id, { destination: destination ?? undefined, actor_id, key: KEY })
      } catch (error) {
        // Is moving already, or deleted.
        if (!(error instanceof Failure)) throw error
      }
    }
    const last = ids.at(-1)
    if (last !== undefined && ids.length === BATCH) requestAll(ctx, { ...request, after: last })
  })
}

const bulkJobs = [moveAll]

export const jobs: Job[] = [...moveJobs, ...bulkJobs] as Job[]
