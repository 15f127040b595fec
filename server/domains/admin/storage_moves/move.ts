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

/** Pause between two reports of progress. */
const PAUSE_MS = 500

/** The container was deleted, and its move with it. */
export class MoveDeleted extends Error {}

/** Stores the state of a move and publishes it. Throws Gone. */
export function note(ctx: Ctx, id: number, changes: MoveChanges): MoveRow {
  return tx(ctx.db, () => {
    const move = store.update(ctx.db, id, changes, ctx.now)
    if (!move) throw new MoveDeleted()
    const { kind, state } = move
    publish(ctx, StorageMoveChanged, { storage_move_id: id, kind, state, actor_id: null })
    return move
  })
}

/** Counts the bytes of a move and reports them from time to time. Throws Gone. */
export function byteCounter(ctx: Ctx, id: number): (bytes: number) => void {
  let done = 0
  let reported = performance.now()
  return (bytes) => {
    done += bytes
    if (performance.now() - reported < PAUSE_MS) return
    reported = performance.now()
    note(ctx, id, { bytes_done: done })
  }
}

/** A repository that moves: its present and its new folder, and the folder of the unfinished copy. */
export interface RepositoryMove {
  /** Name in caches and locks; it does not depend on the storage. */
  readonly key: string
  readonly from: Repo
  readonly to: Repo
  /** The unfinished copy, next to the new folder. */
  readonly draft: Repo
  /** A wiki may be missing. */
  readonly isOptional: boolean
}

/** The repositories of a container: a project has its code and its wiki. */
export function movesOf(
  ctx: Pick<Ctx, 'git' | 'config' | 'db'>,
  { kind, disk_path, source, destination }: MoveRequest,
): RepositoryMove[] {
  const keys = kind === 'project' ? [disk_path, wikiDiskPath(disk_path)] : [disk_path]
  const [from, to] = [source, destination].map((name) => storageFolder(ctx, name)) as [string, string]
  return keys.map((key, index) => ({
    key,
    from: fixed(ctx, join(from, key), key),
    to: fixed(ctx, join(to, key), key),
    draft: fixed(ctx, `${join(to, key)}.moving`, key),
    isOptional: index > 0,
  }))
}

/** A handle that keeps its folder when the repository moves. */
function fixed({ git }: Pick<Ctx, 'git'>, gitDir: string, key: string): Repo {
  return { git, gitDir, key }
}
