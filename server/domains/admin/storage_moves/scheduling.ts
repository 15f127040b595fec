import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { enqueue } from '../../../jobs/job.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import { isStorage, pickStorage } from '../../storage/index.ts'
import * as store from './store.ts'
import { containerOf, type Kind, type MoveRow } from './store.ts'
import { setReadOnly } from './request.ts'
import { StorageMoveChanged } from '../events.ts'
import { moveRepository } from './move-job.ts'

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
