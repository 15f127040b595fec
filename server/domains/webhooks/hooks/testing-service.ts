import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { deliveryOf, outcomeColumns, attemptColumns, publishEnd } from '../deliveries/log.ts'
import { kindOf, type Message, requestFor } from '../deliveries/message.ts'
import { attemptOf } from '../deliveries/send.ts'
import * as store from '../deliveries/store.ts'
import type { DeliveryWithBody } from '../deliveries/store.ts'
import type { DeliveryResult } from '../deliveries/types.ts'
import { testEvent, type TestOwner } from '../payloads/testing.ts'
import { FLAGS, type Kind, KINDS } from '../recording/hook-event.ts'
import { eventOf } from '../recording/service.ts'
import { recordVerdict, verdictFor } from './health.ts'
import * as hooks from './store.ts'
import type { HookRow } from './store.ts'

/** The sample event for system hooks (spec administration 3.6). */
export const SAMPLE = {
  event_name: 'project_create',
  name: 'Ruby',
  path: 'ruby',
  project_id: 1,
  owner_name: 'Someone',
  owner_email: 'example@example.com',
}

/** Sends a sample to a system hook. */
export function sendSample(ctx: Ctx, row: HookRow): Promise<DeliveryResult> {
  return sendNow(ctx, row, { ...newIds(ctx), kind: 'system', payload: JSON.stringify(SAMPLE), is_test: true })
}

/**
 * Tests a webhook with an event about the newest row of the flag's kind. Throws 422 with a sentence if there is no such
 * row, or if the receiver refuses the event.
 */
export async function testHook(ctx: Ctx, row: HookRow, owner: TestOwner, flag: string): Promise<void> {
  const event = await testEvent(ctx, owner, kindFor(flag))
  if ('problem' in event) throw fail('unprocessable', event.problem)
  const payload = JSON.stringify(event.payload)
  requireSuccess(await sendNow(ctx, row, { ...newIds(ctx), kind: event.kind, payload, is_test: true }))
}

/** Sends a logged delivery again, to the current URL. Returns the status. Throws 422 without a response. */
export async function resend(
  ctx: Ctx,
  row: HookRow,
  deliveryId: number,
  eventHeader: string,
): Promise<number> {
  const original = deliveryOf(ctx, { hook_id: row.id }, deliveryId)
  const event = original.event_id === null ? undefined : eventOf(ctx, original.event_id)
  const result = await sendNow(ctx, row, {
    ...newIds(ctx),
    kind: kindOf(original.trigger),
    payload: event?.payload ?? original.body ?? '{}',
    event_uuid: event?.uuid ?? uuidIn(original, eventHeader) ?? newIds(ctx).event_uuid,
    uuid: original.uuid,
    is_test: original.is_test,
    repeats_id: original.id,
    ...(event ? { event_id: event.id } : { body: original.body ?? '{}' }),
  })
  if (result.status === null) throw fail('unprocessable', result.error ?? undefined)
  return result.status
}

function newIds(ctx: Ctx) {
  return { event_uuid: ctx.cause?.uuid ?? ctx.random.id(), uuid: ctx.random.id() }
}

function uuidIn({ request_headers }: DeliveryWithBody, header: string): string | undefined {
  return request_headers[header]
}

function kindFor(flag: string): Kind {
  return KINDS.find((kind) => FLAGS[kind] === flag)!
}

function requireSuccess(result: DeliveryResult): void {
  if (result.is_ok) return
  const text = result.error ?? `The receiver answered with status ${result.status}.`
  throw fail('unprocessable', text)
}

/**
 * Sends a message at once, even to a disabled webhook, because a user requested it. The outcome counts as usual, so a
 * success enables the webhook again. Throws 404 if the webhook was deleted in the meantime.
 */
async function sendNow(ctx: Ctx, row: HookRow, message: Message): Promise<DeliveryResult> {
  const request = requestFor(ctx, row, message)
  const attempt = await attemptOf(ctx, request)
  const { outcome } = attempt
  return tx(ctx.db, () => {
    const current = hooks.byId(ctx.db, row.id)
    // The webhook was deleted during the request, together with its log.
    if (!current) throw notFound()
    const id = store.insert(ctx.db, { ...attemptColumns(ctx, request), ...outcomeColumns(ctx, attempt) })
    if (outcome.unsent !== 'held_back') recordVerdict(ctx, current, verdictFor(outcome.status))
    return publishEnd(ctx, request, id, outcome)
  })
}
