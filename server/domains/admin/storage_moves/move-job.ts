import type { Ctx } from '../../../ctx.ts'
import { removeRepository } from '../../../git/upkeep/repository.ts'
import { enqueue, job, type Job } from '../../../jobs/job.ts'
import { containerOf } from './container.ts'
import { performMove } from './moving.ts'
import { orderShape, type MoveRequest } from './request.ts'
import { movesOf, type RepositoryMove } from './move.ts'
import { Gone, note } from './progress.ts'
import * as store from './store.ts'
import type { MoveChanges } from './store.ts'

/** As long as a clone may take. */
const MAX_WAIT_MS = 6 * 3_600_000

/** Removes what a repository has left behind at its old place, once nobody reads there any more; `again` looks later. */
async function clearOldPlace(ctx: Ctx, order: MoveRequest, again: () => void): Promise<void> {
  const container = containerOf(ctx.db, order.kind, order.container_id)
  // Never where it lies now.
  if (container?.repository_storage === order.source) return end(ctx, order, { state: 'finished' })
  try {
    const places = movesOf(ctx, order)
    if (isRead(ctx, places) && Date.parse(ctx.now) - Date.parse(order.since) < MAX_WAIT_MS) return again()
    for (const { from } of places) await removeRepository(from)
    end(ctx, order, { state: 'finished' })
  } catch (error) {
    ctx.log.error({ err: error, storage_move_id: order.storage_move_id }, 'an old copy could not be removed')
    const error_message = `The old copy in the storage "${order.source}" could not be removed.`
    end(ctx, order, { state: 'cleanup failed', error_message })
  }
}

function isRead(ctx: Ctx, places: readonly RepositoryMove[]): boolean {
  return places.some(({ from }) => ctx.git.traffic.readersOf(from.gitDir) > 0)
}

function end(ctx: Ctx, { storage_move_id: id }: MoveRequest, changes: MoveChanges): void {
  if (store.byId(ctx.db, id)?.state !== 'replicated') return
  try {
    note(ctx, id, changes)
  } catch (error) {
    // Whom it was about is gone; there is nobody to be told.
    if (!(error instanceof Gone)) throw error
  }
}

/** Pauses before what cannot be done yet is looked at again: a fifth of the time that it has waited, within these. */
const PAUSE_MS = { least: 1000, most: 60_000 }
function pause({ now }: Ctx, since: string): number {
  const waited = Date.parse(now) - Date.parse(since)
  return Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, waited / 5))
}

/** Disks may be slow, or far away. */
const lane = 'outside'

/** Moves one repository. */
export const moveOne: Job<MoveRequest> = job('storage_moves.move', { args: orderShape, lane }, (ctx, order) =>
  performMove(ctx, order, {
    again: () => enqueue(ctx, moveOne, order, { key: order.key, delay: pause(ctx, order.since) }),
    clear: () => enqueue(ctx, clearOld, { ...order, since: ctx.now }),
  }),
)

/** Removes what a move has left behind. */
const clearOld: Job<MoveRequest> = job('storage_moves.clear', { args: orderShape, lane }, (ctx, order) =>
  clearOldPlace(ctx, order, () => enqueue(ctx, clearOld, order, { delay: pause(ctx, order.since) })),
)

export const moveJobs = [moveOne, clearOld]
