import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { BackupChanged } from './events.ts'
import * as store from './store.ts'

/** Writes what became of a backup, and tells it. Nothing happens to one that is gone. */
export function changeBackup(
  ctx: Ctx,
  id: number,
  change: Partial<Omit<store.BackupRow, 'id' | 'updated_at'>>,
): void {
  tx(ctx.db, () => {
    const before = store.byId(ctx.db, id)
    if (!before) return
    store.update(ctx.db, id, { ...change, updated_at: ctx.now })
    const state = change.state ?? before.state
    publish(ctx, BackupChanged, { backup_id: id, state, actor_id: before.asked_by_id })
  })
}
