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
import { makeDurableFolder, syncFolder } from '../../../lib/files/durable-file.ts'
import { storageFolder } from '../../storage/index.ts'
import { containerOf, setReadOnly, settleIn } from './container.ts'
import type { MoveRequest } from './request.ts'
import { movesOf, type RepositoryMove } from './move.ts'
import { byteCounter, Gone, note } from './progress.ts'
import { reasonOf, Refused } from './reasons.ts'
import { abortable } from './running.ts'
import * as store from './store.ts'

/** How long nobody may write while a command that has begun comes to its end. */
const PATIENCE_MS = 10_000
/** How long long-winded commands, such as packing or fetching from elsewhere, are waited for. */
const QUIET_MS = 6 * 3_600_000

/** What a move puts into the queue. */
export interface Queue {
  /** The same move, a little later. */
  again(): void
  /** The removal of what the repository leaves behind. */
  clear(): void
}

/**
 * Moves what an order says. Whatever goes wrong ends it with a reason, and with the repository where it was. May be
 * repeated after it was cut off: the copy is begun anew.
 */
export function performMove(ctx: Ctx, order: MoveRequest, queue: Queue): Promise<void> {
  return abortable(ctx, async (signal) => {
    const move = store.byId(ctx.db, order.storage_move_id)
    if (!move) return removeCopies(ctx, order)
    if (!['initial', 'scheduled', 'started'].includes(move.state)) return
    try {
      if (mustWait(ctx, order)) return queue.again()
      await moveNow(ctx, order, { signal, clear: () => queue.clear() })
    } catch (error) {
      // The job comes back with the next start.
      if (signal.aborted) throw error
      await giveUp(ctx, order, error)
    }
  })
}

/** True while the repository is still being made, or what lies at the destination has still to be cleared away. */
function mustWait(ctx: Ctx, { kind, container_id, destination }: MoveRequest): boolean {
  const container = containerOf(ctx.db, kind, container_id)
  if (!container) throw new Gone()
  return (
    container.repository_state !== 'ready' || store.isBeingCleared(ctx.db, kind, container_id, destination)
  )
}

async function moveNow(
  ctx: Ctx,
  order: MoveRequest,
  { signal, clear }: { readonly signal: AbortSignal; readonly clear: () => void },
): Promise<void> {
  const { storage_move_id: id } = order
  if (order.source === order.destination)
    throw new Refused(`The repository lies in the storage "${order.destination}" already.`)
  const places = movesOf(ctx, order)
  await checkFolders(ctx, order, places)
  await removeCopies(ctx, order)
  const sizes = await Promise.all(places.map(({ from }) => folderSize(from.gitDir)))
  const bytes_total = sizes.reduce((sum, bytes) => sum + bytes, 0)
  note(ctx, id, { state: 'started', bytes_done: 0, bytes_total })
  const known = await copyFirst(places, signal, byteCounter(ctx, id))
  await finishCopy(ctx, places, async () => {
    signal.throwIfAborted()
    const moved = await copyLast(places, known)
    await switchOver(ctx, order, moved, clear)
  })
  await Promise.all(places.map(({ from }) => ctx.git.catFiles.closeRepo(from)))
}

/** Throws Refused where there is nothing to copy, or nothing to copy to. */
async function checkFolders(
  ctx: Ctx,
  { source, destination }: MoveRequest,
  [main]: readonly RepositoryMove[],
): Promise<void> {
  const [from, to] = await Promise.all(
    [source, destination].map((name) => stat(storageFolder(ctx, name)).catch(() => undefined)),
  )
  if (!to?.isDirectory()) throw new Refused(`The folder of the storage "${destination}" is not there.`)
  if (from?.ino === to.ino && from.dev === to.dev)
    throw new Refused(`The storages "${source}" and "${destination}" are the same folder.`)
  if (!(await repositoryExists(main!.from)))
    throw new Refused(`The repository is not in the storage "${source}".`)
}

/** Copies and checks while everybody reads and the instance itself still writes. Returns what was found complete. */
async function copyFirst(
  places: readonly RepositoryMove[],
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const known = new Map<string, readonly string[]>()
  for (const { from, draft, key } of places) {
    if (!(await repositoryExists(from))) continue
    await mkdir(draft.gitDir, { recursive: true })
    await copyFolder(from.gitDir, draft.gitDir, { signal, onBytes })
    known.set(key, await completeTips(draft, signal))
  }
  return known
}

/** What the refs of a copy lead to, if all of it is there. What moved while it was copied is looked at once more later. */
async function completeTips(copy: RepositoryMove['draft'], signal: AbortSignal): Promise<readonly string[]> {
  try {
    await checkConnected(copy, { signal })
    return await refTips(copy)
  } catch (error) {
    if (signal.aborted) throw error
    return []
  }
}

/** Runs the last steps while nobody writes, neither under the lock nor without it. */
async function finishCopy(
  ctx: Ctx,
  places: readonly RepositoryMove[],
  finish: () => Promise<void>,
): Promise<void> {
  const { traffic, locks } = ctx.git
  const keys = places.map(({ key }) => key)
  const [main, wiki] = places
  const alone = () => traffic.alone(keys, PATIENCE_MS, () => finish().then(() => true))
  for (;;) {
    if (!(await traffic.quiet(keys, QUIET_MS)))
      throw new Refused('The repository is being written for hours.')
    const isDone = await withWriteLock(main!.from, () => (wiki ? locks.run(wiki.key, alone) : alone()))
    if (isDone) return
  }
}

/** Copies what has changed and compares the copies with what was copied. Returns what there is. */
async function copyLast(
  places: readonly RepositoryMove[],
  known: ReadonlyMap<string, readonly string[]>,
): Promise<RepositoryMove[]> {
  const moved: RepositoryMove[] = []
  for (const move of places) {
    const { from, draft, key } = move
    if (!(await repositoryExists(from))) {
      if (!move.isOptional) throw new Refused('The repository is gone.')
      continue
    }
    await mkdir(draft.gitDir, { recursive: true })
    await copyFolder(from.gitDir, draft.gitDir)
    const [ours, theirs] = await Promise.all([refsChecksum(from), refsChecksum(draft)])
    if (ours !== theirs) throw new Refused('The copy differs from the repository.')
    await checkConnected(draft, { known: known.get(key) ?? [] })
    moved.push(move)
  }
  return moved
}

/** Lets the repositories lie at their new place from now on. */
async function switchOver(
  ctx: Ctx,
  order: MoveRequest,
  moved: readonly RepositoryMove[],
  clear: () => void,
): Promise<void> {
  const { storage_move_id: id, kind, container_id, destination: storage } = order
  for (const { draft, to } of moved) {
    await makeDurableFolder(dirname(to.gitDir))
    await rename(draft.gitDir, to.gitDir)
    await syncFolder(dirname(to.gitDir))
  }
  const { bytes_total } = store.byId(ctx.db, id) ?? {}
  tx(ctx.db, () => {
    if (!settleIn(ctx.db, kind, container_id, { storage, now: ctx.now })) throw new Gone()
    note(ctx, id, { state: 'replicated', bytes_done: bytes_total ?? 0 })
    clear()
  })
  // Nothing is awaited in between: whoever asks from now on finds the new place in the row and in the handles.
  for (const { key, to } of moved) ctx.git.traffic.moveTo(key, to.gitDir)
}

async function giveUp(ctx: Ctx, order: MoveRequest, error: unknown): Promise<void> {
  const { storage_move_id: id, kind, container_id } = order
  if (!(error instanceof Gone || error instanceof Refused))
    ctx.log.warn({ err: error, storage_move_id: id }, 'a repository could not be moved')
  try {
    await removeCopies(ctx, order)
  } catch (problem) {
    ctx.log.error({ err: problem, storage_move_id: id }, 'half a copy of a repository could not be removed')
  }
  if (error instanceof Gone || !store.byId(ctx.db, id)) return
  tx(ctx.db, () => {
    setReadOnly(ctx.db, kind, container_id, false)
    note(ctx, id, { state: 'failed', error_message: reasonOf(error, order) })
  })
}

/** Removes what a move has put at its destination, unless it is what the repository is now. */
async function removeCopies(ctx: Ctx, order: MoveRequest): Promise<void> {
  const { kind, container_id, destination, source } = order
  if (source === destination) return
  const container = containerOf(ctx.db, kind, container_id)
  if (container?.repository_storage === destination) return
  for (const { draft, to } of movesOf(ctx, order)) {
    await removeRepository(draft)
    await removeRepository(to)
  }
}
