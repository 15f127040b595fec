import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { requestAll } from './bulk-job.ts'
import type { Kind } from './container.ts'
import { checkStorage } from './scheduling.ts'
import * as store from './store.ts'
import type { MoveFilter, MoveRow } from './store.ts'

/** A move as `filter` has it. Throws 404. */
export function findMove(ctx: Ctx, id: number, filter: MoveFilter): MoveRow {
  const found = store.find(ctx.db, id, filter)
  if (!found) throw notFound()
  return found
}

/** One page of moves, newest first. */
export function listMoves(
  ctx: Ctx,
  filter: MoveFilter,
  paging: { readonly limit: number; readonly offset: number },
): Rows<MoveRow> {
  return store.list(ctx.db, filter, paging)
}

/** Has everything of a kind leave a storage, in the background. Throws 400 for a storage that is not there. */
export function scheduleAll(
  ctx: Ctx,
  kind: Kind,
  given: { source_storage_name: string; destination_storage_name?: string | undefined },
): void {
  const { source_storage_name: source, destination_storage_name: destination } = given
  checkStorage(ctx, 'source_storage_name', source)
  if (destination !== undefined) checkStorage(ctx, 'destination_storage_name', destination)
  // Each would fail by itself.
  if (source === destination) throw fail('parameter', 'destination_storage_name does not have a valid value')
  requestAll(ctx, { kind, source, destination: destination ?? null, after: 0, actor_id: ctx.actor.id })
}
