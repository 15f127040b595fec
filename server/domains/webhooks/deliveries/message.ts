import type { Ctx } from '../../../ctx.ts'
import {
  EVENT_HEADER,
  EVENT_INSTANCE_HEADER,
  EVENT_TOKEN_HEADER,
  EVENT_UUID_HEADER,
  WEBHOOK_UUID_HEADER,
} from '../../../lib/aliases.ts'
import { withoutCredentials } from '../../../lib/text/url.ts'
import { type HookSecrets, decryptHook, ownerIds, purposeOf } from '../hooks/hook.ts'
import type { HookRow } from '../hooks/store.ts'
import { fullUrl } from '../hooks/validation.ts'
import type { Kind } from '../recording/hook-event.ts'
import { renderMessage } from './template.ts'
import type { DeliveryRequest } from './types.ts'

/** All attempts of a delivery have the same value, so receivers can skip repeats. */
const ATTEMPTS_HEADER = 'Idempotency-Key'

/** An event for a webhook. */
export interface Message {
  readonly kind: Kind
  /** The payload of an event, as JSON. */
  readonly payload: string
  /** UUID of the request that caused the event. */
  readonly event_uuid: string
  /** The stored event. Without one the log stores a copy of the payload. */
  readonly event_id?: number | undefined
  /** All attempts of a delivery have the same value. */
  readonly uuid: string
  readonly attempt?: number | undefined
  readonly is_test?: boolean | undefined
  readonly repeats_id?: number | undefined
  /** A body that was sent before, to be sent again unchanged. */
  readonly body?: string | undefined
}

/** The trigger in the log: `push_hooks`. */
export function triggerOf(kind: Kind): string {
  return `${kind}_hooks`
}

/** The kind of event of a trigger in the log. */
export function kindOf(trigger: string): Kind {
  return trigger.replace(/_hooks$/, '') as Kind
}

/** `Push Hook`, or `System Hook` for all system hooks (spec administration 3.7). */
export function eventName(row: Pick<HookRow, 'kind'>, kind: Kind): string {
  if (row.kind === 'system') return 'System Hook'
  const words = kind.split('_').map((word) => word[0]!.toUpperCase() + word.slice(1))
  return `${words.join(' ')} Hook`
}

/** The URL for the log: with the names of variables, without user name and password. */
export function shownUrl(secrets: Pick<HookSecrets, 'url'>): string {
  return withoutCredentials(secrets.url)
}

/** Makes the request that delivers an event to a webhook. */
export function requestFor(ctx: Ctx, row: HookRow, message: Message): DeliveryRequest {
  const { secrets } = decryptHook(ctx, row)
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
    logged_url: shownUrl(secrets),
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

/** Returns the body of the request; null if the stored payload is sent unchanged. */
function bodyFor(row: HookRow, { kind, payload, event_id }: Message): string | null {
  const hidesCommits = row.kind === 'system' && (kind === 'push' || kind === 'tag_push')
  const template = row.custom_webhook_template
  if (!hidesCommits && template === null) return event_id === undefined ? payload : null
  const event = JSON.parse(payload) as Record<string, unknown>
  // System hooks receive pushes to every repository, but without commits (spec administration 3.10).
  const visible = hidesCommits ? { ...event, commits: [] } : event
  return template === null ? JSON.stringify(visible) : (renderMessage(template, visible) ?? payload)
}
