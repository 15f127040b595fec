import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { projectById } from '../projects/index.ts'
import { actingAs } from './acting.ts'
import { areRelated } from './checks.ts'
import type { MergeRequestRow } from './merge-request.ts'
import { changeState } from './state.ts'
import * as store from './store.ts'

function closeAll(ctx: Ctx, actorId: number | null, rows: readonly MergeRequestRow[]): void {
  for (const { id, author_id } of rows) {
    tx(ctx.db, () => {
      const request = store.byId(ctx.db, id)
      if (request) changeState(actingAs(ctx, actorId ?? author_id), request, 'close')
    })
  }
}

/** Closes what led from a project to one that it does not belong together with any more, or back. */
export function closeBetween(ctx: Ctx, unlinked: { project_id: number; actor_id: number | null }): void {
  const apart = store.openAcross(ctx.db, unlinked.project_id).filter((row) => {
    const [source, target] = [row.source_project_id ?? 0, row.project_id].map((id) => projectById(ctx.db, id))
    return !source || !target || !areRelated(source, target)
  })
  closeAll(ctx, unlinked.actor_id, apart)
}

/** Closes what came from projects that are gone. */
export function closeOrphans(ctx: Ctx, deleted: { actor_id: number | null }): void {
  closeAll(ctx, deleted.actor_id, store.openOrphans(ctx.db))
}
