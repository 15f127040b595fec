import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { publish } from '../../../events/publish.ts'
import { isoTime } from '../../../lib/clock.ts'
import { notFound } from '../../../lib/fail.ts'
import { withoutCredentials } from '../../../lib/text/url.ts'
import { DeliveryEnded } from '../events.ts'
import { openBody, sealBody } from '../recording/service.ts'
import type { Outcome } from './exchange.ts'
import * as store from './store.ts'
import type { DeliveryRow, DeliveryWithBody, LogFilter } from './store.ts'
import type { AttemptData, DeliveryResult, Target } from './types.ts'

/** The maximum number of entries in a page of the log, as in the contract, since messages are large. */
export const MAX_DELIVERIES = 20

/**
 * Returns one page of the deliveries to a webhook or integration, newest first. Endpoints limit pages to
 * `MAX_DELIVERIES`.
 */
export function deliveriesOf(
  ctx: Pick<Ctx, 'db' | 'secrets'>,
  target: Target,
  paging: { limit: number; offset: number },
  filter: LogFilter = {},
): Rows<DeliveryWithBody> {
  const { rows, total } = store.list(ctx.db, target, filter, paging)
  return { rows: rows.map((row) => withPlainBody(ctx, row)), total }
}

/** Finds one logged attempt. Throws `404 Not found`. */
export function deliveryOf(ctx: Pick<Ctx, 'db' | 'secrets'>, target: Target, id: number): DeliveryWithBody {
  const row = store.findOne(ctx.db, target, id)
  if (!row) throw notFound()
  return withPlainBody(ctx, row)
}

function withPlainBody(ctx: Pick<Ctx, 'secrets'>, row: DeliveryWithBody): DeliveryWithBody {
  return { ...row, body: row.body === null ? null : openBody(ctx, row.body) }
}

/** Replaces secrets in the log. */
const MASK = '[MASKED]'

/** Shorter secrets are not masked: they would match anywhere, and the masks would reveal them. */
const MIN_LENGTH = 4

/** Returns a function that masks secrets in a text, including their URL-encoded and JSON-escaped forms. */
export function maskFor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .filter((secret) => secret.length >= MIN_LENGTH)
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
  const longestFirst = [...new Set(forms)].toSorted((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((masked, form) => masked.replaceAll(form, MASK), text)
}

/** Masks the values of an object. */
export function maskValues(
  values: Readonly<Record<string, string>>,
  mask: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, mask(value)]))
}

/** Names of headers with secret values. */
const SECRET_HEADERS = /^authorization$|token$|(api|auth)-?key|secret/i

/** Masks secrets in headers for the log, also a value that equals a short secret. */
export function loggedHeaders(
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[],
  mask: (text: string) => string,
): Record<string, string> {
  const isSecret = (name: string, value: string) => SECRET_HEADERS.test(name) || secrets.includes(value)
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    isSecret(name, value) ? MASK : mask(value),
  ])
  return Object.fromEntries(entries) as Record<string, string>
}

/** A finished attempt before it is logged. */
export interface Attempt {
  readonly outcome: Outcome
  /** The columns of the log about the request, with masked secrets. */
  readonly request: Pick<DeliveryRow, 'method' | 'url' | 'request_headers' | 'request_body'>
}

/** A delivery by another protocol than HTTP. */
export interface LoggedDelivery extends AttemptData {
  /** Protocol and address, such as `SMTP` and `mailto:…`. */
  readonly method?: string | undefined
  readonly url: string
  /** The message; null for the payload of the event. */
  readonly body?: string | null | undefined
  readonly response_body?: string | undefined
  /** The reason for a failure; undefined for success. */
  readonly error?: string | undefined
  readonly duration_ms?: number | undefined
}

/** Returns the columns about the delivery that an attempt belongs to. */
export function attemptColumns(ctx: Ctx, logged: AttemptData) {
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

/** Returns the columns about the outcome of an attempt. */
export function outcomeColumns(ctx: Ctx, { outcome, request }: Attempt) {
  return {
    ...request,
    request_body: request.request_body === null ? null : sealBody(ctx, request.request_body),
    state: 'done' as const,
    response_status: outcome.status,
    response_headers: outcome.headers,
    response_body: outcome.body,
    error: outcome.error,
    duration_ms: outcome.duration_ms,
    finished_at: isoTime(Date.parse(ctx.now) + outcome.duration_ms),
  }
}

/** True if an attempt succeeded: status 2xx or 3xx, or no error for other protocols (spec administration 3.7). */
export function isOk({ status, error }: Pick<Outcome, 'status' | 'error'>): boolean {
  return error === null && (status === null || (status >= 200 && status < 400))
}

/** Publishes the end of an attempt. */
export function publishEnd(ctx: Ctx, logged: AttemptData, id: number, outcome: Outcome): DeliveryResult {
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

/** Logs a delivery by mail or TCP. */
export function logDelivery(ctx: Ctx, logged: LoggedDelivery): DeliveryResult {
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
    request_headers: {},
    request_body: body === null ? null : mask(body),
  }
  return tx(ctx.db, () => {
    const id = store.insert(ctx.db, {
      ...attemptColumns(ctx, logged),
      ...outcomeColumns(ctx, { outcome, request }),
    })
    return publishEnd(ctx, logged, id, outcome)
  })
}
