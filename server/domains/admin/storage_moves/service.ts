import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { requestAll } from './bulk-job.ts'
import * as store from './store.ts'
import type { Kind, MoveFilter, MoveRow } from './store.ts'
import { checkStorage } from './scheduling.ts'

/** A move that matches the filter. Throws 404. */
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

/** Schedules the moves of everything of a kind out of a storage, in the background. Throws 400 for an unknown storage. */
export function scheduleAll(
  ctx: Ctx,
  kind: Kind,
  given: { source_storage_name: string; destination_storage_name?: string | undefined },
): void {
  const { source_storage_name: source, destination_storage_name: destination } = given
  checkStorage(ctx, 'source_storage_name', source)
  if (destination !== undefined) checkStorage(ctx, 'destination_storage_name', destination)
  // Each move would fail.
  if (source === destination) throw fail('parameter', 'destination_storage_name does not have a valid value')
  requestAll(ctx, { kind, source, destination: destination ?? null, after: 0, actor_id: ctx.actor.id })
}
