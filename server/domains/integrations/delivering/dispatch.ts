import type { Ctx } from '../../../ctx.ts'
import { enqueue } from '../../../jobs/job.ts'
import type { Kind } from '../../webhooks/index.ts'
import { wants } from '../settings.ts'
import * as store from '../store.ts'
import { deliverToOne } from './jobs.ts'
import { VENDORS } from './vendors.ts'

/** One job for every integration of the project that listens to an event (spec administration 3.4, step 1). */
export function dispatch(ctx: Ctx, event: { event_id: number; project_id: number; kind: Kind }): void {
  for (const row of store.activeOf(ctx.db, event.project_id)) {
    if (!VENDORS.has(row.slug) || !wants(row, event.kind)) continue
    const args = { integration_id: row.id, event_id: event.event_id }
    // In order, and one that hangs takes no second place.
    enqueue(ctx, deliverToOne, args, { key: `integration:${row.id}` })
  }
}
