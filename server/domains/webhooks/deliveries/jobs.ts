import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { cron, type CronLine, enqueue, job, type Job } from '../../../jobs/job.ts'
import { addDays, isoDate } from '../../../lib/clock.ts'
import { alertStatus, recordVerdict, verdictFor } from '../hooks/health.ts'
import { decryptHook } from '../hooks/hook.ts'
import * as hooks from '../hooks/store.ts'
import type { HookRow } from '../hooks/store.ts'
import { accessTokenEvent } from '../payloads/access-token.ts'
import * as payloads from '../payloads/store.ts'
import { eventOf, hasListenerFor, recordAll } from '../recording/service.ts'
import type { HookEventRow } from '../recording/store.ts'
import type { Outcome } from './exchange.ts'
import { type Attempt, outcomeColumns, attemptColumns, publishEnd } from './log.ts'
import { type Message, requestFor, shownUrl, triggerOf } from './message.ts'
import { attemptOf, unsentOutcome } from './send.ts'
import * as store from './store.ts'
import type { DeliveryRow } from './store.ts'
import type { DeliveryRequest } from './types.ts'

/** The number of days before the expiry of an access token at which its event is sent. */
const DAYS_AHEAD = 7

/** Records an event for every access token of a project or group that expires within a week, once per token. */
function announceExpiringTokens(ctx: Ctx): void {
  const until = isoDate(addDays(ctx.now, DAYS_AHEAD))
  for (const token of payloads.expiringTokens(ctx.db, isoDate(ctx.now), until)) {
    if (!hasListenerFor(ctx.db, 'resource_access_token', token)) continue
    tx(ctx.db, () => {
      payloads.markAnnounced(ctx.db, token.id, ctx.now)
      recordAll(ctx, [accessTokenEvent(ctx, token)], null)
    })
  }
}

/** Pauses before the second and the third attempt, in milliseconds. */
const PAUSES_MS = [10_000, 60_000]

/** Delivers one event to one webhook. A failing receiver does not fail the job: the log has the outcome. */
export const deliver: Job<{ delivery_id: number }> = job(
  'webhooks.deliver',
  { args: { delivery_id: z.number() }, retries: 3, lane: 'outside' },
  async (ctx, { delivery_id }) => {
    const row = store.byId(ctx.db, delivery_id)
    const hook = row?.hook_id == null ? undefined : hooks.byId(ctx.db, row.hook_id)
    // The webhook was deleted, or the request was sent before a crash.
    if (!row || !hook || row.state === 'done') return
    const event = row.event_id === null ? undefined : eventOf(ctx, row.event_id)
    if (!event) return void tx(ctx.db, () => store.remove(ctx.db, row.id))
    const request = requestFor(ctx, hook, messageOf(row, event))
    const isOff = alertStatus(hook, ctx.now) !== 'executable'
    // The webhook was disabled after the last attempt, which is already in the log.
    if (isOff && row.attempt > 1) return void tx(ctx.db, () => store.remove(ctx.db, row.id))
    const attempt = isOff ? disabledAttempt(request) : await attemptOf(ctx, request)
    tx(ctx.db, () => finish(ctx, row, request, attempt))
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

/** The outcome of a delivery to a webhook that its earlier failures have disabled. */
function disabledAttempt(request: DeliveryRequest): Attempt {
  const outcome = unsentOutcome('Nothing was sent: the webhook is switched off because it failed too often.')
  const { logged_url: url = '' } = request
  return { outcome, request: { method: 'POST', url, request_headers: {}, request_body: null } }
}

function finish(ctx: Ctx, row: DeliveryRow, request: DeliveryRequest, attempt: Attempt): void {
  const hook = hooks.byId(ctx.db, row.hook_id!)
  if (!hook) return
  const { outcome } = attempt
  store.update(ctx.db, row.id, outcomeColumns(ctx, attempt))
  const after = recordOutcome(ctx, hook, row, outcome)
  if (mayRetry(after, row, outcome, ctx.now)) retry(ctx, row, request)
  publishEnd(ctx, request, row.id, outcome)
}

/** Counts only the first attempt as a failure, but counts every success. */
function recordOutcome(ctx: Ctx, hook: HookRow, row: DeliveryRow, outcome: Outcome): HookRow {
  if (outcome.unsent === 'held_back') return hook
  const verdict = verdictFor(outcome.status)
  return verdict === 'ok' || row.attempt === 1 ? recordVerdict(ctx, hook, verdict) : hook
}

/** True if another attempt may succeed: there was no response, or a server error. */
function mayRetry(hook: HookRow, row: DeliveryRow, { status, unsent }: Outcome, now: string): boolean {
  const isTemporary = status === null || status >= 500
  return !unsent && isTemporary && row.attempt <= PAUSES_MS.length && alertStatus(hook, now) === 'executable'
}

/** Enqueues the next attempt. The job has no key, so later events of the webhook do not wait for it. */
function retry(ctx: Ctx, row: DeliveryRow, request: DeliveryRequest): void {
  const id = store.insert(ctx.db, {
    ...attemptColumns(ctx, { ...request, uuid: row.uuid, attempt: row.attempt + 1 }),
    url: row.url,
  })
  enqueue(ctx, deliver, { delivery_id: id }, { delay: PAUSES_MS[row.attempt - 1]! })
}

/** Enqueues the delivery of an event to a webhook, after its earlier events. Call it in a transaction. */
export function enqueueDelivery(ctx: Ctx, hook: HookRow, event: HookEventRow): void {
  const id = store.insert(ctx.db, {
    ...attemptColumns(ctx, {
      target: { hook_id: hook.id },
      event_id: event.id,
      trigger: triggerOf(event.kind),
    }),
    url: shownUrl(decryptHook(ctx, hook).secrets),
  })
  enqueue(ctx, deliver, { delivery_id: id }, { key: `web_hook:${hook.id}` })
}

/** Days for which the log is kept (spec administration 3.7). Events are kept one day longer than their deliveries. */
const LOG_DAYS = 2

/** The maximum number of rows that one statement deletes. A long statement would block all other writes. */
const BATCH = 500

export const jobs: Job[] = [deliver as Job]

/** Deletes old deliveries and events in batches. */
export async function removeOld(ctx: Ctx): Promise<void> {
  const [before, eventsBefore] = [addDays(ctx.now, -LOG_DAYS), addDays(ctx.now, -LOG_DAYS - 1)]
  while (store.removeOld(ctx.db, before, eventsBefore, BATCH) === BATCH) await nextTurn()
}

export const crons: CronLine[] = [
  cron('webhooks.remove_old', '41 * * * *', removeOld),
  cron('webhooks.announce_expiring_tokens', '7 1 * * *', announceExpiringTokens),
]
