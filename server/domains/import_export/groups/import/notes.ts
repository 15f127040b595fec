import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { GroupImportChanged } from '../events.ts'
import * as store from './store.ts'

export function tell(ctx: Ctx, { group_id, user_id, state }: store.GroupImport): void {
  publish(ctx, GroupImportChanged, { group_id, actor_id: user_id, state })
}

/** Notes a state or how far it is; for a group that is gone nothing is to be noted. */
export function note(ctx: Ctx, groupId: number, changes: Partial<store.GroupImport>): void {
  tx(ctx.db, () => {
    const row = store.update(ctx.db, groupId, changes, ctx.now)
    if (row) tell(ctx, row)
  })
}
