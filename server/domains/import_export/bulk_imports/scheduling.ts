import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { enqueue, job } from '../../../jobs/job.ts'
import { BulkImportChanged } from '../groups/events.ts'
import { runEntity } from './run.ts'
import { FAILED, FINISHED, STARTED, TIMEOUT, CREATED, isUnderWay, type BulkImportRow } from './state.ts'
import * as store from './store.ts'

/** Groups and projects of one run that are worked on at once: others want places, too. */
const AT_ONCE = 4

/** Works on one group or project until it waits for the other instance, or is over. */
const takeEntity = job(
  'group_transfer.bulk_entity',
  { args: { entity_id: z.number() }, retries: 100, lane: 'outside' },
  async (ctx, { entity_id }) => {
    const outcome = await runEntity(ctx, entity_id)
    const row = store.entityById(ctx.db, entity_id)
    if (!row) return
    if (outcome.again === undefined) startNext({ ...ctx, now: outcome.now }, row.bulk_import_id)
    else queue({ ...ctx, now: outcome.now }, entity_id, outcome.again)
  },
)

export const bulkJobs = [takeEntity]

function queue(ctx: Ctx, entityId: number, delay = 0): void {
  enqueue(ctx, takeEntity, { entity_id: entityId }, { key: `bulk_entity:${entityId}`, delay })
}

/** Begins the next groups and projects of a run; ends it where there is nothing left. */
export function startNext(ctx: Ctx, importId: number): void {
  tx(ctx.db, () => {
    const run = store.byId(ctx.db, importId)
    if (!run || !isUnderWay(run.status)) return
    const counts = store.countByStatus(ctx.db, importId)
    const room = AT_ONCE - (counts.get(STARTED) ?? 0)
    const next = room > 0 ? store.waiting(ctx.db, importId, room) : []
    for (const { id } of next) {
      store.updateEntity(ctx.db, id, { status: STARTED }, ctx.now)
      queue(ctx, id)
    }
    if (next.length === 0 && !counts.has(STARTED)) end(ctx, run, counts)
    else
      tell(ctx, run.status === CREATED ? store.update(ctx.db, importId, { status: STARTED }, ctx.now) : run)
  })
}

/** A run has failed where nothing of it came through; what else went wrong stands at its parts. */
function end(ctx: Ctx, run: BulkImportRow, counts: ReadonlyMap<number, number>): void {
  const status = counts.has(FINISHED) ? FINISHED : counts.has(TIMEOUT) ? TIMEOUT : FAILED
  const has_failures = counts.has(FAILED) || counts.has(TIMEOUT) || store.hasFailures(ctx.db, run.id)
  // The token was for this once.
  tell(ctx, store.update(ctx.db, run.id, { status, has_failures, access_token: null }, ctx.now))
}

export function tell(ctx: Ctx, { id, user_id, status }: BulkImportRow): void {
  publish(ctx, BulkImportChanged, { bulk_import_id: id, actor_id: user_id, status })
}
