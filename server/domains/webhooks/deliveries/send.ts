import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { HOOK_USER_AGENT } from '../../../http/aliases.ts'
import { withoutCredentials } from '../../../lib/url.ts'
import { settingsOf } from '../../settings/index.ts'
import { eventOf } from '../recording/service.ts'
import { exchange, type Outcome } from './exchange.ts'
import { type Attempt, ended, loggedColumns, maskFor, maskValues, publishEnd, shownHeaders } from './log.ts'
import * as store from './store.ts'
import type { DeliveryRequest, SentOut } from './types.ts'

/** Larger messages are not sent (spec administration 3.7). */
export const MAX_MESSAGE_BYTES = 25 * 1024 * 1024

/**
 * Sends one HTTP request and keeps it in the log. Never throws for what the other side does; nothing is sent while the
 * instance is silent (setting `silent_mode_enabled`), which the log then says.
 */
export async function sendOut(ctx: Ctx, order: DeliveryRequest): Promise<SentOut> {
  const attempt = await attemptOf(ctx, order)
  return tx(ctx.db, () => {
    const id = store.insert(ctx.db, { ...loggedColumns(ctx, order), ...ended(ctx, attempt) })
    return publishEnd(ctx, order, id, attempt.outcome)
  })
}

/** Makes the attempt that an order asks for; the log is the caller's. */
export async function attemptOf(ctx: Ctx, order: DeliveryRequest): Promise<Attempt> {
  const { method = 'POST', body, headers = {}, secrets = [] } = order
  const payload = body === null ? (order.payload ?? payloadOf(ctx, order.event_id)) : body
  const address = addressOf(order.url)
  const sent = {
    ...(payload === undefined ? {} : { 'Content-Type': 'application/json' }),
    'User-Agent': HOOK_USER_AGENT,
    ...(address?.authorization ? { Authorization: address.authorization } : {}),
    ...headers,
  }
  const mask = maskFor([...secrets, ...(address?.password ? [address.password] : []), ...credentialsIn(sent)])
  const outcome = await outcomeOf(ctx, order, address?.url, {
    method,
    headers: sent,
    body: payload,
  })
  return {
    outcome: masked(outcome, mask),
    request: {
      method,
      url: order.shown_url ?? mask(address?.url ?? withoutCredentials(order.url)),
      request_headers: JSON.stringify(shownHeaders(sent, secrets, mask)),
      request_body: body === null || body === undefined ? null : mask(body),
    },
  }
}

/** What receivers that repeat the request tell of how it signed in: `dTpw`, which everybody can read. */
function credentialsIn(headers: Readonly<Record<string, string>>): string[] {
  const given = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1]
  const credentials = given?.trim().split(/\s+/).at(-1)
  return credentials ? [credentials] : []
}

function addressOf(url: string) {
  return URL.canParse(url) ? addressIn(url) : undefined
}

function payloadOf(ctx: Ctx, eventId: number | undefined): string {
  return (eventId === undefined ? undefined : eventOf(ctx, eventId)?.payload) ?? '{}'
}

type Message = { method: string; headers: Record<string, string>; body: string | undefined }

async function outcomeOf(
  ctx: Ctx,
  order: DeliveryRequest,
  url: string | undefined,
  message: Message,
): Promise<Outcome> {
  if (settingsOf(ctx).silent_mode_enabled) return unsent('Nothing was sent: the instance is in silent mode.')
  if (message.body !== undefined && Buffer.byteLength(message.body) > MAX_MESSAGE_BYTES)
    return unsent('Nothing was sent: the message is larger than 25 MiB.', 'impossible')
  if (url === undefined) return unsent('Nothing was sent: the address is not valid.', 'impossible')
  return exchange(ctx, {
    ...message,
    url,
    trustAnyCertificate: order.trustAnyCertificate ?? false,
    purpose: order.purpose ?? 'any',
  })
}

/** The outcome of what did not go out; by default that is no fault of the receiver. */
export function unsent(error: string, why: 'held_back' | 'impossible' = 'held_back'): Outcome {
  return { status: null, headers: null, body: null, error, duration_ms: 0, unsent: why }
}

function masked(outcome: Outcome, mask: (text: string) => string): Outcome {
  return {
    ...outcome,
    headers: outcome.headers && maskValues(outcome.headers, mask),
    body: outcome.body === null ? null : mask(outcome.body),
    error: outcome.error === null ? null : mask(outcome.error),
  }
}

/** An address apart from the user name and password that it carries, and these as the header that they become. */
interface Address {
  readonly url: string
  readonly authorization: string | undefined
  readonly password: string | undefined
}

/** Takes an address apart. Throws `TypeError` (`ERR_INVALID_URL`) for what is none. */
function addressIn(text: string): Address {
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
