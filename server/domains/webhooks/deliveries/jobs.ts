import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { cron, type CronLine, enqueue, job, type Job } from '../../../jobs/job.ts'
import { addDays } from '../../../lib/clock.ts'
import { alertStatus, noteVerdict, verdictOn } from '../hooks/health.ts'
import { openHook } from '../hooks/hook.ts'
import * as hooks from '../hooks/store.ts'
import type { HookRow } from '../hooks/store.ts'
import { eventOf } from '../recording/service.ts'
import type { HookEventRow } from '../recording/store.ts'
import type { Outcome } from './exchange.ts'
import { type Attempt, ended, loggedColumns, publishEnd } from './log.ts'
import { type Message, orderFor, shownUrl, triggerOf } from './message.ts'
import { attemptOf, unsent } from './send.ts'
import * as store from './store.ts'
import type { DeliveryRow } from './store.ts'
import type { DeliveryRequest } from './types.ts'

/** Pauses before the second and the third attempt; there is no fourth. */
const PAUSES_MS = [10_000, 60_000]

/** Tells a webhook of one event. What the other side does is no failure of the job; the log and the row keep it. */
export const deliver: Job<{ delivery_id: number }> = job(
  'webhooks.deliver',
  { args: { delivery_id: z.number() }, retries: 3, lane: 'outside' },
  async (ctx, { delivery_id }) => {
    const row = store.byId(ctx.db, delivery_id)
    const hook = row?.hook_id == null ? undefined : hooks.byId(ctx.db, row.hook_id)
    // Removed meanwhile, or sent before a crash.
    if (!row || !hook || row.state === 'done') return
    const event = row.event_id === null ? undefined : eventOf(ctx, row.event_id)
    if (!event) return void tx(ctx.db, () => store.remove(ctx.db, row.id))
    const order = orderFor(ctx, hook, messageOf(row, event))
    const isOff = alertStatus(hook, ctx.now) !== 'executable'
    // Switched off since the last attempt: that one says why.
    if (isOff && row.attempt > 1) return void tx(ctx.db, () => store.remove(ctx.db, row.id))
    const attempt = isOff ? withheld(order) : await attemptOf(ctx, order)
    tx(ctx.db, () => finish(ctx, row, order, attempt))
  },
)

function messageOf(row: DeliveryRow, event: HookEventRow): Message {
  return {
    kind: event.kind,
    payload: event.payload,
    event_uuid: event.uuid,
    event_id: event.id,
    uuid: row.uuid,
    attempt: row.attempt,
  }
}

/** What came too late for a webhook that was switched off by what it was told before. */
function withheld(order: DeliveryRequest): Attempt {
  const outcome = unsent('Nothing was sent: the webhook is switched off because it failed too often.')
  const { shown_url: url = '' } = order
  return { outcome, request: { method: 'POST', url, request_headers: '{}', request_body: null } }
}

function finish(ctx: Ctx, row: DeliveryRow, order: DeliveryRequest, attempt: Attempt): void {
  const hook = hooks.byId(ctx.db, row.hook_id!)
  if (!hook) return
  const { outcome } = attempt
  store.update(ctx.db, row.id, ended(ctx, attempt))
  const after = note(ctx, hook, row, outcome)
  if (mayTryAgain(after, row, outcome, ctx.now)) tryAgain(ctx, row, order)
  publishEnd(ctx, order, row.id, outcome)
}

/** Further attempts at the same are no further failures, but a good answer is one whenever it comes. */
function note(ctx: Ctx, hook: HookRow, row: DeliveryRow, outcome: Outcome): HookRow {
  if (outcome.unsent === 'held_back') return hook
  const verdict = verdictOn(outcome.status)
  return verdict === 'ok' || row.attempt === 1 ? noteVerdict(ctx, hook, verdict) : hook
}

/** What may pass by itself: no answer, or one that the receiver excuses itself with. */
function mayTryAgain(
  hook: HookRow,
  row: DeliveryRow,
  { status, unsent: never }: Outcome,
  now: string,
): boolean {
  const mayPass = status === null || status >= 500
  return !never && mayPass && row.attempt <= PAUSES_MS.length && alertStatus(hook, now) === 'executable'
}

/** Without the key of the webhook: what comes after it is not kept waiting. */
function tryAgain(ctx: Ctx, row: DeliveryRow, order: DeliveryRequest): void {
  const id = store.insert(ctx.db, {
    ...loggedColumns(ctx, { ...order, uuid: row.uuid, attempt: row.attempt + 1 }),
    url: row.url,
  })
  enqueue(ctx, deliver, { delivery_id: id }, { delay: PAUSES_MS[row.attempt - 1]! })
}

/** Gives an event to a webhook, which gets it soon, after what it was given before. In a transaction. */
export function give(ctx: Ctx, hook: HookRow, event: HookEventRow): void {
  const id = store.insert(ctx.db, {
    ...loggedColumns(ctx, {
      target: { hook_id: hook.id },
      event_id: event.id,
      trigger: triggerOf(event.kind),
    }),
    url: shownUrl(openHook(ctx, hook).secrets),
  })
  enqueue(ctx, deliver, { delivery_id: id }, { key: `web_hook:${hook.id}` })
}

/** The log goes back so far (spec administration 3.7); events are kept a day longer than what tells of them. */
const DAYS = 2

/** Rows in one statement, so that nobody waits long for the one writer. */
const BATCH = 500

export const jobs: Job[] = [deliver as Job]

/** Forgets what is too old, a part at a time. */
export async function removeOld(ctx: Ctx): Promise<void> {
  const [before, eventsBefore] = [addDays(ctx.now, -DAYS), addDays(ctx.now, -DAYS - 1)]
  while (store.removeOld(ctx.db, before, eventsBefore, BATCH) === BATCH) await nextTurn()
}

export const crons: CronLine[] = [cron('webhooks.remove_old', '41 * * * *', removeOld)]
