import { performance } from 'node:perf_hooks'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { StorageMoveChanged } from './events.ts'
import * as store from './store.ts'
import type { MoveChanges, MoveRow } from './store.ts'

/** Pause between two words about bytes. */
const PAUSE_MS = 500

/** The container went away, and its move with it. */
export class Gone extends Error {}

/** Writes down how a move stands and tells it. Throws Gone. */
export function note(ctx: Ctx, id: number, changes: MoveChanges): MoveRow {
  return tx(ctx.db, () => {
    const move = store.update(ctx.db, id, changes, ctx.now)
    if (!move) throw new Gone()
    const { kind, state } = move
    publish(ctx, StorageMoveChanged, { storage_move_id: id, kind, state, actor_id: null })
    return move
  })
}

/** Counts the bytes of a move and tells of them now and then. Throws Gone. */
export function byteCounter(ctx: Ctx, id: number): (bytes: number) => void {
  let done = 0
  let told = performance.now()
  return (bytes) => {
    done += bytes
    if (performance.now() - told < PAUSE_MS) return
    told = performance.now()
    note(ctx, id, { bytes_done: done })
  }
}
