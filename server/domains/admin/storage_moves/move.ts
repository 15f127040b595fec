import { join } from 'node:path'
import { performance } from 'node:perf_hooks'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import type { Repo } from '../../../git/types.ts'
import { storageFolder } from '../../storage/index.ts'
import { wikiDiskPath } from '../../wikis/index.ts'
import { StorageMoveChanged } from '../events.ts'
import type { MoveRequest } from './request.ts'
import * as store from './store.ts'
import type { MoveChanges, MoveRow } from './store.ts'

/** The minimum time between two reports of progress. */
const REPORT_INTERVAL_MS = 500

/** Thrown if the container was deleted, and its move with it. */
export class MoveDeleted extends Error {}

/** Stores changes of a move and publishes its state. Throws `MoveDeleted`. */
export function recordProgress(ctx: Ctx, id: number, changes: MoveChanges): MoveRow {
  return tx(ctx.db, () => {
    const move = store.update(ctx.db, id, changes, ctx.now)
    if (!move) throw new MoveDeleted()
    const { kind, state } = move
    publish(ctx, StorageMoveChanged, { storage_move_id: id, kind, state, actor_id: null })
    return move
  })
}

/**
 * Returns a function that adds copied bytes to the progress of a move and stores it from time to time. Throws
 * `MoveDeleted`.
 */
export function byteCounter(ctx: Ctx, id: number): (bytes: number) => void {
  let bytesDone = 0
  let lastReport = performance.now()
  return (bytes) => {
    bytesDone += bytes
    if (performance.now() - lastReport < REPORT_INTERVAL_MS) return
    lastReport = performance.now()
    recordProgress(ctx, id, { bytes_done: bytesDone })
  }
}

/** A repository that is being moved, with handles for its old and its new folder and for the unfinished copy. */
export interface RepositoryMove {
  /** The key of the repository in caches and locks. It does not depend on the storage. */
  readonly key: string
  readonly from: Repo
  readonly to: Repo
  /** The unfinished copy, next to the new folder. */
  readonly draft: Repo
  /** Whether the repository may be missing, such as that of a wiki. */
  readonly isOptional: boolean
}

/** Returns the repositories of a container. A project has two: its code and its wiki. */
export function movesOf(
  ctx: Pick<Ctx, 'git' | 'config' | 'db'>,
  { kind, disk_path, source, destination }: MoveRequest,
): RepositoryMove[] {
  const keys = kind === 'project' ? [disk_path, wikiDiskPath(disk_path)] : [disk_path]
  const [from, to] = [source, destination].map((name) => storageFolder(ctx, name)) as [string, string]
  return keys.map((key, index) => ({
    key,
    from: repoInFolder(ctx, join(from, key), key),
    to: repoInFolder(ctx, join(to, key), key),
    draft: repoInFolder(ctx, `${join(to, key)}.moving`, key),
    isOptional: index > 0,
  }))
}

/** Returns a handle with a fixed folder, which does not follow a move of the repository. */
function repoInFolder({ git }: Pick<Ctx, 'git'>, gitDir: string, key: string): Repo {
  return { git, gitDir, key }
}
