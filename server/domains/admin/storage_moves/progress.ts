import { performance } from 'node:perf_hooks'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { StorageMoveChanged } from './events.ts'
import * as store from './store.ts'
import type { MoveChanges, MoveRow } from './store.ts'

/** Pause between two reports of progress. */
const PAUSE_MS = 500

/** The container was deleted, and its move with it. */
export class Gone extends Error {}

/** Stores the state of a move and publishes it. Throws Gone. */
export function note(ctx: Ctx, id: number, changes: MoveChanges): MoveRow {
  return tx(ctx.db, () => {
    const move = store.update(ctx.db, id, changes, ctx.now)
    if (!move) throw new Gone()
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
