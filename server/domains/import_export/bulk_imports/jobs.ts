import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { enqueue, job } from '../../../jobs/job.ts'
import { cancelRun } from '../../../jobs/runs.ts'
import { isoTime } from '../../../lib/clock.ts'
import { BulkImportChanged } from '../events.ts'
import { runEntity } from './run.ts'
import { FAILED, FINISHED, STARTED, TIMEOUT, CREATED, isActive, type BulkImportRow } from './state.ts'
import * as store from './store.ts'

/** The maximum number of groups and projects of a run that are migrated at the same time. */
const MAX_CONCURRENT = 4

/** Migrates one group or project, until it has ended or has to wait for the other instance. */
export const migrateEntity = job(
  'group_transfer.bulk_entity',
  { args: { entity_id: z.number() }, retries: 100, lane: 'outside' },
  async (ctx, { entity_id }) => {
    const outcome = await runEntity(ctx, entity_id)
    const row = store.entityById(ctx.db, entity_id)
    if (!row) return
    if (outcome.retryMs === undefined) startNext({ ...ctx, now: outcome.now }, row.bulk_import_id)
    else enqueueEntity({ ...ctx, now: outcome.now }, entity_id, outcome.retryMs)
  },
)

function enqueueEntity(ctx: Ctx, entityId: number, delay = 0): void {
  enqueue(ctx, migrateEntity, { entity_id: entityId }, { key: `bulk_entity:${entityId}`, delay })
}

/** Starts the next groups and projects of a run. Ends the run if none is left. */
export function startNext(ctx: Ctx, importId: number): void {
  tx(ctx.db, () => {
    const run = store.byId(ctx.db, importId)
    if (!run || !isActive(run.status)) return
    const counts = store.countByStatus(ctx.db, importId)
    const freeSlots = MAX_CONCURRENT - (counts.get(STARTED) ?? 0)
    const next = freeSlots > 0 ? store.waitingEntities(ctx.db, importId, freeSlots) : []
    for (const { id } of next) {
      store.updateEntity(ctx.db, id, { status: STARTED }, ctx.now)
      enqueueEntity(ctx, id)
    }
    if (next.length === 0 && !counts.has(STARTED)) endRun(ctx, run, counts)
    else
      publishChange(
        ctx,
        run.status === CREATED ? store.update(ctx.db, importId, { status: STARTED }, ctx.now) : run,
      )
  })
}

/** Ends a run. Its status is "failed" or "timeout" only if no entity has finished. */
function endRun(ctx: Ctx, run: BulkImportRow, counts: ReadonlyMap<number, number>): void {
  const status = counts.has(FINISHED) ? FINISHED : counts.has(TIMEOUT) ? TIMEOUT : FAILED
  const has_failures = counts.has(FAILED) || counts.has(TIMEOUT) || store.hasFailures(ctx.db, run.id)
  // The token is no longer needed.
  publishChange(ctx, store.update(ctx.db, run.id, { status, has_failures, access_token: null }, ctx.now))
}

/** Publishes a change of a run, in its transaction. */
export function publishChange(ctx: Ctx, { id, user_id, status }: BulkImportRow): void {
  publish(ctx, BulkImportChanged, { bulk_import_id: id, actor_id: user_id, status })
}

/** Time without progress after which an entity has timed out, in milliseconds (spec administration 6.4). */
const STALL_TIMEOUT_MS = 24 * 3600 * 1000

/** Ends entities without progress with a timeout. A cron calls it. */
export function timeOutStalled(ctx: Ctx): void {
  const before = isoTime(Date.parse(ctx.now) - STALL_TIMEOUT_MS)
  const stalled = store.stalledEntities(ctx.db, before)
  for (const { id } of stalled) {
    tx(ctx.db, () => store.updateEntity(ctx.db, id, { status: TIMEOUT, has_failures: true }, ctx.now))
    void cancelRun(ctx, `bulk:${id}`)
  }
  for (const id of new Set(stalled.map(({ bulk_import_id }) => bulk_import_id))) startNext(ctx, id)
}
