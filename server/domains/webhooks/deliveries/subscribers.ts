import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { settingsOf } from '../../settings/index.ts'
import { HookEventRecorded } from '../events.ts'
import { alertStatus } from '../hooks/health.ts'
import * as hooks from '../hooks/store.ts'
import type { HookRow } from '../hooks/store.ts'
import { passes } from '../hooks/validation.ts'
import { FLAGS, type Kind } from '../recording/hook-event.ts'
import { byId as eventById, hasHookFor, type HookEventRow } from '../recording/store.ts'
import { give } from './jobs.ts'
import * as store from './store.ts'

export const subscribers: Subscription[] = [
  on(HookEventRecorded, 'webhooks.dispatch', (ctx, event) => dispatch(ctx, event.event_id), {
    // In the order in which it happened, each place for itself.
    key: ({ project_id, group_id }) => `webhooks.dispatch:${project_id ?? `group:${group_id ?? 0}`}`,
    only: (event, ctx) => hasHookFor(ctx.db, FLAGS[event.kind as Kind], event),
  }),
]

/** Longer chains of webhooks that set each other off are cut (spec administration 3.7). */
const LONGEST_CHAIN = 100

/** Gives an event to all webhooks that want it. Done twice, it gives it once. */
export function dispatch(ctx: Ctx, eventId: number): void {
  const event = eventById(ctx.db, eventId)
  if (!event || settingsOf(ctx).silent_mode_enabled) return
  tx(ctx.db, () => {
    const given = new Set(store.hooksOf(ctx.db, event.id))
    const wanted = hooks.listening(ctx.db, FLAGS[event.kind], event).filter((hook) => wants(ctx, hook, event))
    for (const hook of notLooping(ctx, wanted, event)) if (!given.has(hook.id)) give(ctx, hook, event)
  })
}

function wants(ctx: Ctx, hook: HookRow, event: HookEventRow): boolean {
  if (alertStatus(hook, ctx.now) !== 'executable') return false
  return event.kind !== 'push' || passes(hook, event.ref)
}

/** Without those that the event goes back to: a webhook whose receiver sets it off again would never end. */
function notLooping(ctx: Ctx, wanted: readonly HookRow[], event: HookEventRow): readonly HookRow[] {
  if (!event.chained || wanted.length === 0) return wanted
  const told = new Set(store.hooksTold(ctx.db, event.uuid, event.id))
  const free = told.size > LONGEST_CHAIN ? [] : wanted.filter((hook) => !told.has(hook.id))
  for (const hook of wanted.filter((one) => !free.includes(one))) {
    ctx.log.warn(
      { hook_id: hook.id, uuid: event.uuid, chain: told.size },
      'a webhook that set itself off is not told',
    )
  }
  return free
}
