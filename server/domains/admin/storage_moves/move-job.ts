import type { Ctx } from '../../../ctx.ts'
import { removeRepository } from '../../../git/upkeep/repository.ts'
import { enqueue, job, type Job } from '../../../jobs/job.ts'
import * as store from './store.ts'
import { containerOf, type MoveChanges } from './store.ts'
import { performMove } from './moving.ts'
import { requestShape, type MoveRequest } from './request.ts'
import { movesOf, type RepositoryMove, MoveDeleted, note } from './move.ts'

/** The longest wait for readers of the old copy: the time limit of a clone. */
const MAX_WAIT_MS = 6 * 3_600_000

/** Removes the old copy of a repository after the last reader; `again` tries later. */
async function clearOldCopy(ctx: Ctx, request: MoveRequest, again: () => void): Promise<void> {
  const container = containerOf(ctx.db, request.kind, request.container_id)
  // Never the copy that is in use.
  if (container?.repository_storage === request.source) return end(ctx, request, { state: 'finished' })
  try {
    const moves = movesOf(ctx, request)
    if (isRead(ctx, moves) && Date.parse(ctx.now) - Date.parse(request.since) < MAX_WAIT_MS) return again()
    for (const { from } of moves) await removeRepository(from)
    end(ctx, request, { state: 'finished' })
  } catch (error) {
    ctx.log.error(
      { err: error, storage_move_id: request.storage_move_id },
      'an old copy could not be removed',
    )
    const error_message = `The old copy in the storage "${request.source}" could not be removed.`
    end(ctx, request, { state: 'cleanup failed', error_message })
  }
}

function isRead(ctx: Ctx, moves: readonly RepositoryMove[]): boolean {
  return moves.some(({ from }) => ctx.git.traffic.readersOf(from.gitDir) > 0)
}

function end(ctx: Ctx, { storage_move_id: id }: MoveRequest, changes: MoveChanges): void {
  if (store.byId(ctx.db, id)?.state !== 'replicated') return
  try {
    note(ctx, id, changes)
  } catch (error) {
    // The container is deleted; there is no one to notify.
    if (!(error instanceof MoveDeleted)) throw error
  }
}

/** Pauses before the next try: a fifth of the time since the request, within these limits. */
const PAUSE_MS = { least: 1000, most: 60_000 }
function pause({ now }: Ctx, since: string): number {
  const waited = Date.parse(now) - Date.parse(since)
  return Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, waited / 5))
}

// Disks may be slow or remote.
const lane = 'outside'

/** Moves one repository. */
export const moveOne: Job<MoveRequest> = job(
  'storage_moves.move',
  { args: requestShape, lane },
  (ctx, request) =>
    performMove(ctx, request, {
      again: () => enqueue(ctx, moveOne, request, { key: request.key, delay: pause(ctx, request.since) }),
      clear: () => enqueue(ctx, clearOld, { ...request, since: ctx.now }),
    }),
)

/** Removes the old copy after a move. */
const clearOld: Job<MoveRequest> = job('storage_moves.clear', { args: requestShape, lane }, (ctx, request) =>
  clearOldCopy(ctx, request, () => enqueue(ctx, clearOld, request, { delay: pause(ctx, request.since) })),
)

export const moveJobs = [moveOne, clearOld]
