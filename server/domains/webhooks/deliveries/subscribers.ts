import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { settingsOf } from '../../settings/index.ts'
import { HookEventRecorded } from '../events.ts'
import { alertStatus } from '../hooks/health.ts'
import * as hooks from '../hooks/store.ts'
import type { HookRow } from '../hooks/store.ts'
import { matchesBranch } from '../hooks/validation.ts'
import { FLAGS, type Kind } from '../recording/hook-event.ts'
import { byId as eventById, hasHookFor, type HookEventRow } from '../recording/store.ts'
import { enqueueDelivery } from './jobs.ts'
import * as store from './store.ts'

export const subscribers: Subscription[] = [
  on(HookEventRecorded, 'webhooks.dispatch', (ctx, event) => dispatch(ctx, event.event_id), {
    // Delivers events in order, separately for each project and group.
    key: ({ project_id, group_id }) => `webhooks.dispatch:${project_id ?? `group:${group_id ?? 0}`}`,
    only: (event, ctx) => hasHookFor(ctx.db, FLAGS[event.kind as Kind], event),
  }),
]

/** The maximum length of a chain of webhooks that trigger each other (spec administration 3.7). */
const MAX_CHAIN = 100

/** Enqueues an event for all webhooks that listen to it. A repeated call enqueues nothing twice. */
export function dispatch(ctx: Ctx, eventId: number): void {
  const event = eventById(ctx.db, eventId)
  if (!event || settingsOf(ctx).silent_mode_enabled) return
  tx(ctx.db, () => {
    const existingHooks = new Set(store.hooksOf(ctx.db, event.id))
    const listeners = hooks
      .listening(ctx.db, FLAGS[event.kind], event)
      .filter((hook) => shouldReceive(ctx, hook, event))
    for (const hook of withoutLoops(ctx, listeners, event))
      if (!existingHooks.has(hook.id)) enqueueDelivery(ctx, hook, event)
  })
}

function shouldReceive(ctx: Ctx, hook: HookRow, event: HookEventRow): boolean {
  if (alertStatus(hook, ctx.now) !== 'executable') return false
  return event.kind !== 'push' || matchesBranch(hook, event.ref)
}

/** Removes webhooks that caused the event, because they would trigger themselves forever. */
function withoutLoops(ctx: Ctx, listeners: readonly HookRow[], event: HookEventRow): readonly HookRow[] {
  if (!event.chained || listeners.length === 0) return listeners
  const notifiedHooks = new Set(store.hooksInChain(ctx.db, event.uuid, event.id))
  const receivers =
    notifiedHooks.size > MAX_CHAIN ? [] : listeners.filter((hook) => !notifiedHooks.has(hook.id))
  for (const hook of listeners.filter((entry) => !receivers.includes(entry))) {
    ctx.log.warn(
      { hook_id: hook.id, uuid: event.uuid, chain: notifiedHooks.size },
      'a webhook that triggered itself gets no event',
    )
  }
  return receivers
}
