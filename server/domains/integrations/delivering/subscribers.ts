import type { Ctx } from '../../../ctx.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { enqueue } from '../../../jobs/job.ts'
import { HookEventRecorded } from '../../webhooks/events.ts'
import { hasIntegration, type Kind } from '../../webhooks/index.ts'
import { listensTo } from '../settings.ts'
import * as store from '../store.ts'
import { deliverToIntegration } from './jobs.ts'
import { VENDORS } from './vendors/index.ts'

export const subscribers: Subscription[] = [
  on(
    HookEventRecorded,
    'integrations.dispatch',
    (ctx, { event_id, project_id, kind }) => {
      if (project_id !== undefined) dispatch(ctx, { event_id, project_id, kind: kind as Kind })
    },
    {
      only: ({ project_id, kind }, { db }) =>
        project_id !== undefined && hasIntegration(db, project_id, kind as Kind),
    },
  ),
]

/** Enqueues one job for every integration of the project that listens to an event (spec administration 3.4, step 1). */
function dispatch(ctx: Ctx, event: { event_id: number; project_id: number; kind: Kind }): void {
  for (const row of store.activeOf(ctx.db, event.project_id)) {
    if (!VENDORS.has(row.slug) || !listensTo(row, event.kind)) continue
    const args = { integration_id: row.id, event_id: event.event_id }
    // The key keeps the events of an integration in order, and limits a slow integration to one job runner.
    enqueue(ctx, deliverToIntegration, args, { key: `integration:${row.id}` })
  }
}
