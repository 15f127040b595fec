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
import { containerOf, settleIn } from './store.ts'
import { type MoveRequest, setReadOnly, reasonOf, Refused } from './request.ts'
import { movesOf, type RepositoryMove, byteCounter, MoveDeleted, note } from './move.ts'

/** How long a running command may delay the end of a move, in milliseconds. */
const PATIENCE_MS = 10_000
/** How long the move waits for slow commands, such as packing or fetching. */
const QUIET_MS = 6 * 3_600_000

/** The jobs that a move enqueues. */
export interface Queue {
  /** The same move, after a pause. */
  again(): void
  /** The removal of the old copy. */
  clear(): void
}

/**
 * Performs the requested move. An error ends it with a reason and leaves the repository where it was. After an
 * interruption the move starts again with a new copy.
 */
export function performMove(ctx: Ctx, request: MoveRequest, queue: Queue): Promise<void> {
  const { storage_move_id: id, kind, container_id } = request
  return cancelable(ctx, { name: `storage_move:${id}`, [`${kind}_id`]: container_id }, async (signal) => {
    const move = store.byId(ctx.db, id)
    if (!move) return removeCopies(ctx, request)
    if (!['initial', 'scheduled', 'started'].includes(move.state)) return
    try {
      if (mustWait(ctx, request)) return queue.again()
      await moveNow(ctx, request, { signal, clear: () => queue.clear() })
    } catch (error) {
      // The job runs again at the next start.
      if (isStopping(signal)) throw error
      await failMove(ctx, request, error)
    }
  })
}

/** True while the repository is still being created, or an old copy at the destination has still to be removed. */
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
  { signal, clear }: { readonly signal: AbortSignal; readonly clear: () => void },
): Promise<void> {
  const { storage_move_id: id } = request
  if (request.source === request.destination)
    throw new Refused(`The repository is already in the storage "${request.destination}".`)
  const moves = movesOf(ctx, request)
  await checkFolders(ctx, request, moves)
  await removeCopies(ctx, request)
  const sizes = await Promise.all(moves.map(({ from }) => folderSize(from.gitDir)))
  const bytes_total = sizes.reduce((sum, bytes) => sum + bytes, 0)
  note(ctx, id, { state: 'started', bytes_done: 0, bytes_total })
  const copied = await copyFirst(moves, signal, byteCounter(ctx, id))
  await finishCopy(ctx, moves, async () => {
    signal.throwIfAborted()
    const moved = await copyLast(moves, copied)
    await switchRepositories(ctx, request, moved, clear)
  })
  await Promise.all(moves.map(({ from }) => ctx.git.catFiles.closeRepo(from)))
}

/** Throws Refused if the source or the destination is missing. */
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

/** Copies and checks the repository while it is readable and internal writes continue. Returns the complete tips. */
async function copyFirst(
  moves: readonly RepositoryMove[],
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const copied = new Map<string, readonly string[]>()
  for (const { from, draft, key } of moves) {
    if (!(await repositoryExists(from))) continue
    await mkdir(draft.gitDir, { recursive: true })
    await copyFolder(from.gitDir, draft.gitDir, { signal, onBytes })
    copied.set(key, await completeTips(draft, signal))
  }
  return copied
}

/**
 * The tips of the refs of a copy, if all their objects are there. What moved during the copy is checked once more
 * later.
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

/** Runs the last steps without concurrent writes, with or without the lock. */
async function finishCopy(
  ctx: Ctx,
  moves: readonly RepositoryMove[],
  finish: () => Promise<void>,
): Promise<void> {
  const { traffic, locks } = ctx.git
  const keys = moves.map(({ key }) => key)
  const [main, wiki] = moves
  const alone = () => traffic.alone(keys, PATIENCE_MS, () => finish().then(() => true))
  for (;;) {
    if (!(await traffic.quiet(keys, QUIET_MS)))
      throw new Refused('The repository stayed busy with writes for hours.')
    const isDone = await withWriteLock(main!.from, () => (wiki ? locks.run(wiki.key, alone) : alone()))
    if (isDone) return
  }
}

/** Copies what has changed and compares copies and originals. Returns the moves that were done. */
async function copyLast(
  moves: readonly RepositoryMove[],
  copied: ReadonlyMap<string, readonly string[]>,
): Promise<RepositoryMove[]> {
  const moved: RepositoryMove[] = []
  for (const move of moves) {
    const { from, draft, key } = move
    if (!(await repositoryExists(from))) {
      if (!move.isOptional) throw new Refused('The repository does not exist.')
      continue
    }
    await mkdir(draft.gitDir, { recursive: true })
    await copyFolder(from.gitDir, draft.gitDir)
    const [ours, theirs] = await Promise.all([refsChecksum(from), refsChecksum(draft)])
    if (ours !== theirs) throw new Refused('The copy differs from the repository.')
    await checkConnected(draft, { known: copied.get(key) ?? [] })
    moved.push(move)
  }
  return moved
}

/** Makes the copies the repositories in use. */
async function switchRepositories(
  ctx: Ctx,
  request: MoveRequest,
  moved: readonly RepositoryMove[],
  clear: () => void,
): Promise<void> {
  const { storage_move_id: id, kind, container_id, destination: storage } = request
  for (const { draft, to } of moved) {
    await createDurableFolder(dirname(to.gitDir))
    await rename(draft.gitDir, to.gitDir)
    await syncFolder(dirname(to.gitDir))
  }
  const { bytes_total } = store.byId(ctx.db, id) ?? {}
  tx(ctx.db, () => {
    if (!settleIn(ctx.db, kind, container_id, { storage, now: ctx.now })) throw new MoveDeleted()
    note(ctx, id, { state: 'replicated', bytes_done: bytes_total ?? 0 })
    clear()
  })
  // Nothing is awaited in between, so that the row and the handles change to the new folder at the same moment.
  for (const { key, to } of moved) ctx.git.traffic.moveTo(key, to.gitDir)
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
    note(ctx, id, { state: 'failed', error_message: reasonOf(error, request) })
  })
}

/** Removes the copies at the destination, unless they are the repositories in use. */
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
