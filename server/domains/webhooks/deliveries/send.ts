import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { HOOK_USER_AGENT } from '../../../http/aliases.ts'
import { isoTime } from '../../../lib/clock.ts'
import { withoutCredentials } from '../../../lib/url.ts'
import { settingsOf } from '../../settings/index.ts'
import { DeliveryEnded } from '../events.ts'
import { eventOf, sealBody } from '../recording/sealing.ts'
import { exchange, type Outcome } from './exchange.ts'
import type { Logged, Order, SentOut } from './order.ts'
import * as store from './store.ts'

/** What stands in the log in place of a secret. */
const MASK = '[MASKED]'

/** Shorter ones would be found everywhere, and taking them out would tell them. */
const MIN_LENGTH = 4

/** A function that takes secrets out of a text; also as they stand in addresses and JSON. */
function maskFor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .filter((secret) => secret.length >= MIN_LENGTH)
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
  const longestFirst = [...new Set(forms)].toSorted((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((masked, form) => masked.replaceAll(form, MASK), text)
}

/** The same for the values of an object. */
function maskValues(
  values: Readonly<Record<string, string>>,
  mask: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, mask(value)]))
}

/** Headers that carry nothing but a secret. */
const SECRET_HEADERS = /^authorization$|token$|(api|auth)-?key|secret/i

/** Headers as the log shows them; those that are secrets as a whole too, however short they are. */
function shownHeaders(
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[],
  mask: (text: string) => string,
): Record<string, string> {
  const isSecret = (name: string, value: string) => SECRET_HEADERS.test(name) || secrets.includes(value)
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    isSecret(name, value) ? MASK : mask(value),
  ])
  return Object.fromEntries(shown) as Record<string, string>
}

/** Larger messages are not sent (spec administration 3.7). */
export const MAX_MESSAGE_BYTES = 25 * 1024 * 1024

/** An attempt that is over, and not yet in the log. */
export interface Attempt {
  readonly outcome: Outcome
  /** Columns of the log that tell of the request, without secrets. */
  readonly request: { method: string; url: string; request_headers: string; request_body: string | null }
}

/**
 * Sends one HTTP request and keeps it in the log. Never throws for what the other side does; nothing is sent while the
 * instance is silent (setting `silent_mode_enabled`), which the log then says.
 */
export async function sendOut(ctx: Ctx, order: Order): Promise<SentOut> {
  const attempt = await attemptOf(ctx, order)
  return tx(ctx.db, () => {
    const id = store.insert(ctx.db, { ...loggedColumns(ctx, order), ...ended(ctx, attempt) })
    return tellEnd(ctx, order, id, attempt.outcome)
  })
}

/** What was told in another way than by HTTP, as the log keeps it. */
export interface LoggedDelivery extends Logged {
  /** How and where, as `SMTP` and `mailto:…`. */
  readonly method?: string | undefined
  readonly url: string
  /** What was said; null: the payload of the event. */
  readonly body?: string | null | undefined
  readonly response_body?: string | undefined
  /** Why it failed; without it all went well. */
  readonly error?: string | undefined
  readonly duration_ms?: number | undefined
}

/** Keeps what was told in another way (mail, TCP) in the same log. */
export function logSent(ctx: Ctx, logged: LoggedDelivery): SentOut {
  const { method = 'POST', url, body = null, response_body = null, error = null, duration_ms = 0 } = logged
  const mask = maskFor(logged.secrets ?? [])
  const outcome: Outcome = {
    status: null,
    headers: null,
    body: response_body === null ? null : mask(response_body),
    error: error === null ? null : mask(error),
    duration_ms,
  }
  const request = {
    method,
    url: mask(withoutCredentials(url)),
    request_headers: '{}',
    request_body: body === null ? null : mask(body),
  }
  return tx(ctx.db, () => {
    const id = store.insert(ctx.db, { ...loggedColumns(ctx, logged), ...ended(ctx, { outcome, request }) })
    return tellEnd(ctx, logged, id, outcome)
  })
}

/** Makes the attempt that an order asks for; the log is the caller's. */
export async function attemptOf(ctx: Ctx, order: Order): Promise<Attempt> {
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
  order: Order,
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

/** The columns that say what an attempt is part of. */
export function loggedColumns(ctx: Ctx, logged: Logged) {
  return {
    ...logged.target,
    event_id: logged.event_id ?? null,
    trigger: logged.trigger,
    uuid: logged.uuid ?? ctx.random.id(),
    attempt: logged.attempt ?? 1,
    is_test: logged.is_test ?? false,
    repeats_id: logged.repeats_id ?? null,
    created_at: ctx.now,
  }
}

/** The columns that say how an attempt ended. */
export function ended(ctx: Ctx, { outcome, request }: Attempt) {
  return {
    ...request,
    request_body: request.request_body === null ? null : sealBody(ctx, request.request_body),
    state: 'done',
    response_status: outcome.status,
    response_headers: outcome.headers && JSON.stringify(outcome.headers),
    response_body: outcome.body,
    error: outcome.error,
    duration_ms: outcome.duration_ms,
    finished_at: isoTime(Date.parse(ctx.now) + outcome.duration_ms),
  }
}

/** Tells those who watch that an attempt is over. */
export function tellEnd(ctx: Ctx, logged: Logged, id: number, outcome: Outcome): SentOut {
  const { project_id, group_id } = logged
  const is_ok = isOk(outcome)
  publish(ctx, DeliveryEnded, {
    ...(project_id === undefined ? {} : { project_id }),
    ...(group_id === undefined ? {} : { group_id }),
    ...logged.target,
    delivery_id: id,
    is_ok,
  })
  return { delivery_id: id, is_ok, status: outcome.status, error: outcome.error }
}

/** 2xx and 3xx are fine, and what is no HTTP and has no error (spec administration 3.7). */
export function isOk({ status, error }: Pick<Outcome, 'status' | 'error'>): boolean {
  return error === null && (status === null || (status >= 200 && status < 400))
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
