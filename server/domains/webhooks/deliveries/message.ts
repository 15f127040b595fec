import type { Ctx } from '../../../ctx.ts'
import {
  EVENT_HEADER,
  EVENT_INSTANCE_HEADER,
  EVENT_TOKEN_HEADER,
  EVENT_UUID_HEADER,
  WEBHOOK_UUID_HEADER,
} from '../../../http/aliases.ts'
import { withoutCredentials } from '../../../lib/url.ts'
import { type HookSecrets, openHook, ownerIds, purposeOf } from '../hooks/hook.ts'
import type { HookRow } from '../hooks/store.ts'
import { fullUrl } from '../hooks/validation.ts'
import type { Kind } from '../recording/hook-event.ts'
import { renderMessage } from './template.ts'
import type { DeliveryRequest } from './types.ts'

/** The header of attempts that belong together, so that a receiver knows what it had already. */
const ATTEMPTS_HEADER = 'Idempotency-Key'

/** What a webhook is told. */
export interface Message {
  readonly kind: Kind
  /** The payload of an event, as JSON. */
  readonly payload: string
  /** UUID of the request that it goes back to. */
  readonly event_uuid: string
  /** Where the payload is kept; without it the log keeps its own copy. */
  readonly event_id?: number | undefined
  /** The same for all attempts. */
  readonly uuid: string
  readonly attempt?: number | undefined
  readonly is_test?: boolean | undefined
  readonly repeats_id?: number | undefined
  /** What was sent before, and goes out again as it is. */
  readonly body?: string | undefined
}

/** `push_hooks`, as the log calls what set a webhook off. */
export function triggerOf(kind: Kind): string {
  return `${kind}_hooks`
}

/** The kind that the log calls so. */
export function kindOf(trigger: string): Kind {
  return trigger.replace(/_hooks$/, '') as Kind
}

/** `Push Hook`; whatever a system hook is told is a `System Hook` (spec administration 3.7). */
export function eventName(row: Pick<HookRow, 'kind'>, kind: Kind): string {
  if (row.kind === 'system') return 'System Hook'
  const words = kind.split('_').map((word) => word[0]!.toUpperCase() + word.slice(1))
  return `${words.join(' ')} Hook`
}

/** The address as the log shows it: variables by their names, and without user name and password. */
export function shownUrl(secrets: Pick<HookSecrets, 'url'>): string {
  return withoutCredentials(secrets.url)
}

/** The request that tells a webhook. */
export function orderFor(ctx: Ctx, row: HookRow, message: Message): DeliveryRequest {
  const { secrets } = openHook(ctx, row)
  const { event_id, uuid, attempt, is_test, repeats_id } = message
  return {
    target: { hook_id: row.id },
    ...ownerIds(row),
    event_id,
    trigger: triggerOf(message.kind),
    uuid,
    attempt,
    is_test,
    repeats_id,
    url: fullUrl(secrets) ?? '',
    shown_url: shownUrl(secrets),
    headers: headersFor(ctx, row, secrets, message),
    body: message.body ?? bodyFor(row, message),
    payload: message.payload,
    trustAnyCertificate: !row.enable_ssl_verification,
    purpose: purposeOf(row),
    secrets: [
      ...(secrets.token === null ? [] : [secrets.token]),
      ...Object.values(secrets.url_variables),
      ...Object.values(secrets.custom_headers),
    ],
  }
}

function headersFor(ctx: Ctx, row: HookRow, secrets: HookSecrets, message: Message): Record<string, string> {
  return {
    ...secrets.custom_headers,
    [EVENT_HEADER]: eventName(row, message.kind),
    [WEBHOOK_UUID_HEADER]: ctx.random.id(),
    [EVENT_INSTANCE_HEADER]: ctx.config.url,
    [EVENT_UUID_HEADER]: message.event_uuid,
    [ATTEMPTS_HEADER]: message.uuid,
    ...(secrets.token === null ? {} : { [EVENT_TOKEN_HEADER]: secrets.token }),
  }
}

/** Null where the payload goes out as the event has it. */
function bodyFor(row: HookRow, { kind, payload, event_id }: Message): string | null {
  const withheld = row.kind === 'system' && (kind === 'push' || kind === 'tag_push')
  const template = row.custom_webhook_template
  if (!withheld && template === null) return event_id === undefined ? payload : null
  const open = JSON.parse(payload) as Record<string, unknown>
  // System hooks hear of every repository; what was committed is not for them (spec administration 3.10).
  const told = withheld ? { ...open, commits: [] } : open
  return template === null ? JSON.stringify(told) : (renderMessage(template, told) ?? payload)
}
