import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { HOOK_USER_AGENT } from '../../../lib/aliases.ts'
import { withoutCredentials } from '../../../lib/text/url.ts'
import { settingsOf } from '../../settings/index.ts'
import { eventOf } from '../recording/service.ts'
import { exchange, type Outcome } from './exchange.ts'
import {
  type Attempt,
  outcomeColumns,
  attemptColumns,
  maskFor,
  maskValues,
  publishEnd,
  loggedHeaders,
} from './log.ts'
import * as store from './store.ts'
import type { DeliveryRequest, DeliveryResult } from './types.ts'

/** The maximum size of a message in bytes (spec administration 3.7). Larger messages are not sent. */
export const MAX_MESSAGE_BYTES = 25 * 1024 * 1024

/**
 * Sends one HTTP request and logs it. Never throws for failures of the receiver. In silent mode (setting
 * `silent_mode_enabled`) it sends nothing and logs that.
 */
export async function sendRequest(ctx: Ctx, request: DeliveryRequest): Promise<DeliveryResult> {
  const attempt = await attemptOf(ctx, request)
  return tx(ctx.db, () => {
    const id = store.insert(ctx.db, { ...attemptColumns(ctx, request), ...outcomeColumns(ctx, attempt) })
    return publishEnd(ctx, request, id, attempt.outcome)
  })
}

/** Makes one attempt to send a request. The caller logs it. */
export async function attemptOf(ctx: Ctx, request: DeliveryRequest): Promise<Attempt> {
  const { method = 'POST', body, headers = {}, secrets = [] } = request
  const payload = body === null ? (request.payload ?? payloadOf(ctx, request.event_id)) : body
  const address = addressOf(request.url)
  const sentHeaders = {
    ...(payload === undefined ? {} : { 'Content-Type': 'application/json' }),
    'User-Agent': HOOK_USER_AGENT,
    ...(address?.authorization ? { Authorization: address.authorization } : {}),
    ...headers,
  }
  const mask = maskFor([
    ...secrets,
    ...(address?.password ? [address.password] : []),
    ...credentialsIn(sentHeaders),
  ])
  const outcome = await outcomeOf(ctx, request, address?.url, {
    method,
    headers: sentHeaders,
    body: payload,
  })
  return {
    outcome: maskOutcome(outcome, mask),
    request: {
      method,
      url: request.logged_url ?? mask(address?.url ?? withoutCredentials(request.url)),
      request_headers: loggedHeaders(sentHeaders, secrets, mask),
      request_body: body === null || body === undefined ? null : mask(body),
    },
  }
}

/** Returns the encoded credentials of the request, since responses may repeat them. */
function credentialsIn(headers: Readonly<Record<string, string>>): string[] {
  const authorization = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1]
  const credentials = authorization?.trim().split(/\s+/).at(-1)
  return credentials ? [credentials] : []
}

function addressOf(url: string) {
  return URL.canParse(url) ? parseAddress(url) : undefined
}

function payloadOf(ctx: Ctx, eventId: number | undefined): string {
  return (eventId === undefined ? undefined : eventOf(ctx, eventId)?.payload) ?? '{}'
}

type HttpMessage = { method: string; headers: Record<string, string>; body: string | undefined }

async function outcomeOf(
  ctx: Ctx,
  request: DeliveryRequest,
  url: string | undefined,
  message: HttpMessage,
): Promise<Outcome> {
  if (settingsOf(ctx).silent_mode_enabled)
    return unsentOutcome('Nothing was sent: the instance is in silent mode.')
  if (message.body !== undefined && Buffer.byteLength(message.body) > MAX_MESSAGE_BYTES)
    return unsentOutcome('Nothing was sent: the message is larger than 25 MiB.', 'impossible')
  if (url === undefined) return unsentOutcome('Nothing was sent: the address is not valid.', 'impossible')
  return exchange(ctx, {
    ...message,
    url,
    trustAnyCertificate: request.trustAnyCertificate ?? false,
    purpose: request.purpose ?? 'any',
  })
}

/** The outcome of a request that was not sent. `held_back` means that the receiver is not at fault. */
export function unsentOutcome(error: string, reason: 'held_back' | 'impossible' = 'held_back'): Outcome {
  return { status: null, headers: null, body: null, error, duration_ms: 0, unsent: reason }
}

function maskOutcome(outcome: Outcome, mask: (text: string) => string): Outcome {
  return {
    ...outcome,
    headers: outcome.headers && maskValues(outcome.headers, mask),
    body: outcome.body === null ? null : mask(outcome.body),
    error: outcome.error === null ? null : mask(outcome.error),
  }
}

/** A URL without its user name and password, and the authorization header with them. */
interface Address {
  readonly url: string
  readonly authorization: string | undefined
  readonly password: string | undefined
}

/** Removes the credentials from a URL. Throws `TypeError` (`ERR_INVALID_URL`) for an invalid one. */
function parseAddress(text: string): Address {
  const url = new URL(text)
  const [name, password] = [decode(url.username), decode(url.password)]
  url.username = ''
  url.password = ''
  url.hash = ''
  const hasCredentials = name !== '' || password !== ''
  const pair = Buffer.from(`${name}:${password}`).toString('base64')
  return {
    url: url.toString(),
    authorization: hasCredentials ? `Basic ${pair}` : undefined,
    password: password === '' ? undefined : password,
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
