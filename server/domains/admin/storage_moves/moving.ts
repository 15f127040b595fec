import { mkdir, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import {
  checkConnected,
  copyFolder,
  folderSize,
  refsChecksum,
  refTips,
} from '../../../git/upkeep/copy-repository.ts'
import { removeRepository, repositoryExists, withWriteLock } from '../../../git/upkeep/repository.ts'
import { cancelable, isStopping } from '../../../jobs/runs.ts'
import { createDurableFolder, syncFolder } from '../../../lib/files/durable-file.ts'
import { storageFolder } from '../../storage/index.ts'
import * as store from './store.ts'
import { containerOf, setStorage } from './store.ts'
import { type MoveRequest, setReadOnly, reasonOf, Refused } from './request.ts'
import { movesOf, type RepositoryMove, byteCounter, MoveDeleted, recordProgress } from './move.ts'

/** The maximum time in milliseconds that a running git command may delay the end of a move. */
const MAX_DELAY_MS = 10_000
/** The maximum time in milliseconds that a move waits for slow commands, such as packing or fetching. */
const MAX_WAIT_MS = 6 * 3_600_000

/** Functions that enqueue the jobs after a move. */
export interface FollowUpJobs {
  /** Enqueues the same move after a pause. */
  retry(): void
  /** Enqueues the removal of the old copy. */
  removeOldCopy(): void
}

/**
 * Performs a move. If it fails, the move gets the reason, and the repository stays in its old storage. After an
 * interruption the move starts again with a new copy.
 */
export function performMove(ctx: Ctx, request: MoveRequest, followUps: FollowUpJobs): Promise<void> {
  const { storage_move_id: id, kind, container_id } = request
  return cancelable(ctx, { name: `storage_move:${id}`, [`${kind}_id`]: container_id }, async (signal) => {
    const move = store.byId(ctx.db, id)
    if (!move) return removeCopies(ctx, request)
    if (!['initial', 'scheduled', 'started'].includes(move.state)) return
    try {
      if (mustWait(ctx, request)) return followUps.retry()
      await moveNow(ctx, request, { signal, removeOldCopy: () => followUps.removeOldCopy() })
    } catch (error) {
      // The job runs again at the next start.
      if (isStopping(signal)) throw error
      await failMove(ctx, request, error)
    }
  })
}

/** Returns true while the repository is being created, or while an old copy in the destination is being removed. */
function mustWait(ctx: Ctx, { kind, container_id, destination }: MoveRequest): boolean {
  const container = containerOf(ctx.db, kind, container_id)
  if (!container) throw new MoveDeleted()
  return (
    container.repository_state !== 'ready' || store.isBeingCleared(ctx.db, kind, container_id, destination)
  )
}

async function moveNow(
  ctx: Ctx,
  request: MoveRequest,
  { signal, removeOldCopy }: { readonly signal: AbortSignal; readonly removeOldCopy: () => void },
): Promise<void> {
  const { storage_move_id: id } = request
  if (request.source === request.destination)
    throw new Refused(`The repository is already in the storage "${request.destination}".`)
  const moves = movesOf(ctx, request)
  await checkFolders(ctx, request, moves)
  await removeCopies(ctx, request)
  const sizes = await Promise.all(moves.map(({ from }) => folderSize(from.gitDir)))
  const bytes_total = sizes.reduce((sum, bytes) => sum + bytes, 0)
  recordProgress(ctx, id, { state: 'started', bytes_done: 0, bytes_total })
  const completeTipsByKey = await copyFirst(moves, signal, byteCounter(ctx, id))
  await finishCopy(ctx, moves, async () => {
    signal.throwIfAborted()
    const copiedMoves = await copyLast(moves, completeTipsByKey)
    await switchRepositories(ctx, request, copiedMoves, removeOldCopy)
  })
  await Promise.all(moves.map(({ from }) => ctx.git.catFiles.closeRepo(from)))
}

/** Throws `Refused` if the source or the destination is missing, or if both are the same folder. */
async function checkFolders(
  ctx: Ctx,
  { source, destination }: MoveRequest,
  [main]: readonly RepositoryMove[],
): Promise<void> {
  const [from, to] = await Promise.all(
    [source, destination].map((name) => stat(storageFolder(ctx, name)).catch(() => undefined)),
  )
  if (!to?.isDirectory()) throw new Refused(`The folder of the storage "${destination}" does not exist.`)
  if (from?.ino === to.ino && from.dev === to.dev)
    throw new Refused(`The storages "${source}" and "${destination}" are the same folder.`)
  if (!(await repositoryExists(main!.from)))
    throw new Refused(`The repository is not in the storage "${source}".`)
}

/**
 * Copies and checks the repositories while internal writes to them continue. Returns the complete tips by repository
 * key.
 */
async function copyFirst(
  moves: readonly RepositoryMove[],
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const completeTipsByKey = new Map<string, readonly string[]>()
  for (const { from, draft, key } of moves) {
    if (!(await repositoryExists(from))) continue
    await mkdir(draft.gitDir, { recursive: true })
    await copyFolder(from.gitDir, draft.gitDir, { signal, onBytes })
    completeTipsByKey.set(key, await completeTips(draft, signal))
  }
  return completeTipsByKey
}

/**
 * Returns the tips of the refs of a copy if all their objects exist, otherwise an empty list. Refs that moved during
 * the copy are checked later.
 */
async function completeTips(copy: RepositoryMove['draft'], signal: AbortSignal): Promise<readonly string[]> {
  try {
    await checkConnected(copy, { signal })
    return await refTips(copy)
  } catch (error) {
    if (signal.aborted) throw error
    return []
  }
}

/** Runs the last steps while no other write runs, under the write locks of the repositories. */
async function finishCopy(
  ctx: Ctx,
  moves: readonly RepositoryMove[],
  finish: () => Promise<void>,
): Promise<void> {
  const { traffic, locks } = ctx.git
  const keys = moves.map(({ key }) => key)
  const [main, wiki] = moves
  const finishAlone = () => traffic.runExclusively(keys, MAX_DELAY_MS, () => finish().then(() => true))
  for (;;) {
    if (!(await traffic.waitForWriters(keys, MAX_WAIT_MS)))
      throw new Refused('The repository stayed busy with writes for hours.')
    const isDone = await withWriteLock(main!.from, () =>
      wiki ? locks.run(wiki.key, finishAlone) : finishAlone(),
    )
    if (isDone) return
  }
}

/**
 * Copies the files that changed since the first copy, and compares the copies with the originals. Returns the copied
 * repositories.
 */
async function copyLast(
  moves: readonly RepositoryMove[],
  completeTipsByKey: ReadonlyMap<string, readonly string[]>,
): Promise<RepositoryMove[]> {
  const copiedMoves: RepositoryMove[] = []
  for (const move of moves) {
    const { from, draft, key } = move
    if (!(await repositoryExists(from))) {
      if (!move.isOptional) throw new Refused('The repository does not exist.')
      continue
    }
    await mkdir(draft.gitDir, { recursive: true })
    await copyFolder(from.gitDir, draft.gitDir)
    const [original, copy] = await Promise.all([refsChecksum(from), refsChecksum(draft)])
    if (original !== copy) throw new Refused('The copy differs from the repository.')
    await checkConnected(draft, { known: completeTipsByKey.get(key) ?? [] })
    copiedMoves.push(move)
  }
  return copiedMoves
}

/** Replaces the repositories in use by their copies. */
async function switchRepositories(
  ctx: Ctx,
  request: MoveRequest,
  copiedMoves: readonly RepositoryMove[],
  removeOldCopy: () => void,
): Promise<void> {
  const { storage_move_id: id, kind, container_id, destination: storage } = request
  for (const { draft, to } of copiedMoves) {
    await createDurableFolder(dirname(to.gitDir))
    await rename(draft.gitDir, to.gitDir)
    await syncFolder(dirname(to.gitDir))
  }
  const { bytes_total } = store.byId(ctx.db, id) ?? {}
  tx(ctx.db, () => {
    if (!setStorage(ctx.db, kind, container_id, { storage, now: ctx.now })) throw new MoveDeleted()
    recordProgress(ctx, id, { state: 'replicated', bytes_done: bytes_total ?? 0 })
    removeOldCopy()
  })
  // Nothing is awaited between the transaction and these calls, so that the row and the handles change at the same
  // moment.
  for (const { key, to } of copiedMoves) ctx.git.traffic.moveTo(key, to.gitDir)
}

async function failMove(ctx: Ctx, request: MoveRequest, error: unknown): Promise<void> {
  const { storage_move_id: id, kind, container_id } = request
  if (!(error instanceof MoveDeleted || error instanceof Refused))
    ctx.log.warn({ err: error, storage_move_id: id }, 'a repository could not be moved')
  try {
    await removeCopies(ctx, request)
  } catch (problem) {
    ctx.log.error(
      { err: problem, storage_move_id: id },
      'an unfinished copy of a repository could not be removed',
    )
  }
  if (error instanceof MoveDeleted || !store.byId(ctx.db, id)) return
  tx(ctx.db, () => {
    setReadOnly(ctx.db, kind, container_id, false)
    recordProgress(ctx, id, { state: 'failed', error_message: reasonOf(error, request) })
  })
}

/** Removes the copies in the destination, unless they are the repositories in use. */
async function removeCopies(ctx: Ctx, request: MoveRequest): Promise<void> {
  const { kind, container_id, destination, source } = request
  if (source === destination) return
  const container = containerOf(ctx.db, kind, container_id)
  if (container?.repository_storage === destination) return
  for (const { draft, to } of movesOf(ctx, request)) {
    await removeRepository(draft)
    await removeRepository(to)
  }
}
