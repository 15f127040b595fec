import type { Ctx } from '../../../ctx.ts'
import { removeRepository } from '../../../git/upkeep/repository.ts'
import { enqueue, job, type Job } from '../../../jobs/job.ts'
import * as store from './store.ts'
import { containerOf, type MoveChanges } from './store.ts'
import { performMove } from './moving.ts'
import { requestShape, type MoveRequest } from './request.ts'
import { movesOf, type RepositoryMove, MoveDeleted, recordProgress } from './move.ts'

/** The maximum wait for readers of the old copy in milliseconds: the time limit of a clone. */
const MAX_WAIT_MS = 6 * 3_600_000

/** Removes the old copy of a repository. While it is being read, `again` enqueues another try. */
async function tryToRemoveOldCopy(ctx: Ctx, request: MoveRequest, again: () => void): Promise<void> {
  const container = containerOf(ctx.db, request.kind, request.container_id)
  // The copy in use is never removed.
  if (container?.repository_storage === request.source) return endMove(ctx, request, { state: 'finished' })
  try {
    const moves = movesOf(ctx, request)
    if (isBeingRead(ctx, moves) && Date.parse(ctx.now) - Date.parse(request.since) < MAX_WAIT_MS)
      return again()
    for (const { from } of moves) await removeRepository(from)
    endMove(ctx, request, { state: 'finished' })
  } catch (error) {
    ctx.log.error(
      { err: error, storage_move_id: request.storage_move_id },
      'an old copy could not be removed',
    )
    const error_message = `The old copy in the storage "${request.source}" could not be removed.`
    endMove(ctx, request, { state: 'cleanup failed', error_message })
  }
}

function isBeingRead(ctx: Ctx, moves: readonly RepositoryMove[]): boolean {
  return moves.some(({ from }) => ctx.git.traffic.readersOf(from.gitDir) > 0)
}

function endMove(ctx: Ctx, { storage_move_id: id }: MoveRequest, changes: MoveChanges): void {
  if (store.byId(ctx.db, id)?.state !== 'replicated') return
  try {
    recordProgress(ctx, id, changes)
  } catch (error) {
    // The container was deleted, and its move with it.
    if (!(error instanceof MoveDeleted)) throw error
  }
}

/** Limits of the pause before the next try, which is a fifth of the time since the request. */
const PAUSE_MS = { min: 1000, max: 60_000 }

function pause({ now }: Ctx, since: string): number {
  const waited = Date.parse(now) - Date.parse(since)
  return Math.min(PAUSE_MS.max, Math.max(PAUSE_MS.min, waited / 5))
}

// Moves run on the lane for slow work, because disks may be slow or remote.
const lane = 'outside'

/** Moves one repository. */
export const moveRepository: Job<MoveRequest> = job(
  'storage_moves.move',
  { args: requestShape, lane },
  (ctx, request) =>
    performMove(ctx, request, {
      retry: () =>
        enqueue(ctx, moveRepository, request, { key: request.key, delay: pause(ctx, request.since) }),
      removeOldCopy: () => enqueue(ctx, removeOldCopy, { ...request, since: ctx.now }),
    }),
)

/** Removes the old copy after a move. */
const removeOldCopy: Job<MoveRequest> = job(
  'storage_moves.clear',
  { args: requestShape, lane },
  (ctx, request) =>
    tryToRemoveOldCopy(ctx, request, () =>
      enqueue(ctx, removeOldCopy, request, { delay: pause(ctx, request.since) }),
    ),
)

export const moveJobs = [moveRepository, removeOldCopy]
