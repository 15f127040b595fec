import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { enqueue, job } from '../../../jobs/job.ts'
import { cancelRun } from '../../../jobs/runs.ts'
import { isoTime } from '../../../lib/clock.ts'
import { BulkImportChanged } from '../events.ts'
import { runEntity } from './run.ts'
import { FAILED, FINISHED, STARTED, TIMEOUT, CREATED, isUnderWay, type BulkImportRow } from './state.ts'
import * as store from './store.ts'

/** Groups and projects of one run that are migrated at once. */
const AT_ONCE = 4

/** Migrates one group or project until it waits for the other instance, or has ended. */
export const takeEntity = job(
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

function queue(ctx: Ctx, entityId: number, delay = 0): void {
  enqueue(ctx, takeEntity, { entity_id: entityId }, { key: `bulk_entity:${entityId}`, delay })
}

/** Begins the next groups and projects of a run; ends the run if nothing is left. */
export function startNext(ctx: Ctx, importId: number): void {
  tx(ctx.db, () => {
    const run = store.byId(ctx.db, importId)
    if (!run || !isUnderWay(run.status)) return
    const counts = store.countByStatus(ctx.db, importId)
    const freeSlots = AT_ONCE - (counts.get(STARTED) ?? 0)
    const next = freeSlots > 0 ? store.waiting(ctx.db, importId, freeSlots) : []
    for (const { id } of next) {
      store.updateEntity(ctx.db, id, { status: STARTED }, ctx.now)
      queue(ctx, id)
    }
    if (next.length === 0 && !counts.has(STARTED)) end(ctx, run, counts)
    else
      publishChange(
        ctx,
        run.status === CREATED ? store.update(ctx.db, importId, { status: STARTED }, ctx.now) : run,
      )
  })
}

/** Ends a run. A run has failed if none of its entities finished. The entities have the failures. */
function end(ctx: Ctx, run: BulkImportRow, counts: ReadonlyMap<number, number>): void {
  const status = counts.has(FINISHED) ? FINISHED : counts.has(TIMEOUT) ? TIMEOUT : FAILED
  const has_failures = counts.has(FAILED) || counts.has(TIMEOUT) || store.hasFailures(ctx.db, run.id)
  // The token was for this run alone.
  publishChange(ctx, store.update(ctx.db, run.id, { status, has_failures, access_token: null }, ctx.now))
}

/** Publishes a change of a run, in its transaction. */
export function publishChange(ctx: Ctx, { id, user_id, status }: BulkImportRow): void {
  publish(ctx, BulkImportChanged, { bulk_import_id: id, actor_id: user_id, status })
}

/** An entity without progress for this time has timed out (spec administration 6.4). */
const STILL_MS = 24 * 3600 * 1000

/** Ends entities without progress. Called by a cron. */
export function failStandingStill(ctx: Ctx): void {
  const before = isoTime(Date.parse(ctx.now) - STILL_MS)
  const still = store.stuckEntities(ctx.db, before)
  for (const { id } of still) {
    tx(ctx.db, () => store.updateEntity(ctx.db, id, { status: TIMEOUT, has_failures: true }, ctx.now))
    void cancelRun(ctx, `bulk:${id}`)
  }
  for (const id of new Set(still.map(({ bulk_import_id }) => bulk_import_id))) startNext(ctx, id)
}
