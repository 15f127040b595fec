import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { type Job, enqueue, job } from '../../../jobs/job.ts'
import { Failure, fail, invalid } from '../../../lib/fail.ts'
import { moveJobs, moveRepository } from './move-job.ts'
import { containersIn, KINDS, containerOf, type Kind, type MoveRow } from './store.ts'
import { publish } from '../../../events/publish.ts'
import { isStorage, pickStorage } from '../../storage/index.ts'
import * as store from './store.ts'
import { setReadOnly } from './request.ts'
import { StorageMoveChanged } from '../events.ts'

/** The maximum number of single moves that run at the same time. */
const MAX_SINGLE_MOVES = 2

/** Options of a move. Without a destination, the weights of the storages select one. */
interface MoveOptions {
  readonly destination?: string | undefined
  readonly actor_id: number | null
  /** Moves with the same key run one after the other. */
  readonly key?: string
}

/**
 * Schedules the move of a repository and makes the repository read-only. Throws 400 for an unknown storage, for a
 * repository that is already read-only, and for a group without a wiki (spec administration 9).
 */
export function scheduleMove(ctx: Ctx, kind: Kind, id: number, input: MoveOptions): MoveRow {
  const { destination, actor_id, key = `storage_moves:${id % MAX_SINGLE_MOVES}` } = input
  if (destination !== undefined) checkStorage(ctx, 'destination_storage_name', destination)
  return tx(ctx.db, () => {
    const container = containerOf(ctx.db, kind, id)
    if (!container) throw invalid({ [kind]: 'has no repository' })
    if (container.repository_read_only) throw invalid({ [kind]: 'is read-only' })
    const { repository_storage: source, disk_path } = container
    const move = store.insert(ctx.db, {
      kind,
      container_id: id,
      source_storage_name: source,
      destination_storage_name: destination ?? pickStorage(ctx, { leaving: source }),
      now: ctx.now,
    })
    setReadOnly(ctx.db, kind, id, true)
    publish(ctx, StorageMoveChanged, { storage_move_id: move.id, kind, state: move.state, actor_id })
    const request = {
      storage_move_id: move.id,
      kind,
      container_id: id,
      disk_path,
      source,
      destination: move.destination_storage_name,
      key,
      since: ctx.now,
    }
    enqueue(ctx, moveRepository, request, { key })
    return move
  })
}

/** Throws 400 for an unknown storage. */
export function checkStorage(ctx: Ctx, parameter: string, name: string): void {
  if (!isStorage(ctx, name)) throw fail('parameter', `${parameter} does not have a valid value`)
}

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
