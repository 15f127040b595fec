import { on, type Subscription } from '../../../events/publish.ts'
import { HookEventRecorded } from '../events.ts'
import { FLAGS, type Kind } from '../recording/hook-event.ts'
import { hasHookFor } from '../recording/store.ts'
import { dispatch } from './dispatch.ts'

export const subscribers: Subscription[] = [
  on(HookEventRecorded, 'webhooks.dispatch', (ctx, event) => dispatch(ctx, event.event_id), {
    // In the order in which it happened, each place for itself.
    key: ({ project_id, group_id }) => `webhooks.dispatch:${project_id ?? `group:${group_id ?? 0}`}`,
    only: (event, ctx) => hasHookFor(ctx.db, FLAGS[event.kind as Kind], event),
  }),
]
