import type { Config } from '../../../config.ts'
import { type LoggedDelivery, logSent, sendOut, type SentOut } from '../../webhooks/index.ts'
import { catalogueOf } from '../catalogue/index.ts'
import type { Delivery } from './delivery.ts'

/** One request to somebody who is told. At most one of `json`, `form`, `body` and `payload`. */
export interface Request {
  readonly url: string
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  /** With the header that says what it is. */
  readonly body?: string
  /** The body is the payload of the event, as webhooks get it. */
  readonly payload?: true
  /** Sign in with a name and password. */
  readonly basic?: { readonly user: string; readonly password: string }
  /** The address itself is secret: the log shows the host alone. */
  readonly isSecretAddress?: boolean
}

/** Shorter parts of an address, like `/hooks`, are no secrets, and stand in many texts. */
const LEAST_PART = 12

/** Sends one request and keeps it in the log of the integration, without what is secret. */
export function send(delivery: Delivery, request: Request): Promise<SentOut> {
  const { ctx, settings } = delivery
  const url = throughGateway(ctx.config, request.url)
  return sendOut(ctx, {
    ...loggedAs(delivery),
    method: request.method ?? 'POST',
    url,
    ...(request.isSecretAddress && URL.canParse(url) ? { shown_url: `${new URL(url).origin}/…` } : {}),
    headers: headersOf(request),
    body: bodyOf(delivery, request),
    trustAnyCertificate: settings['enable_ssl_verification'] === false,
  })
}

/** Keeps in the same log what was told in another way. */
export function logDelivery(
  delivery: Delivery,
  delivered: Omit<LoggedDelivery, 'target' | 'trigger'>,
): SentOut {
  return logSent(delivery.ctx, { ...delivered, ...loggedAs(delivery) })
}

function loggedAs(delivery: Delivery) {
  const { row, project, kind, event_id, is_test } = delivery
  return {
    target: { integration_id: row.id },
    project_id: project.id,
    event_id,
    trigger: `${kind}_hooks`,
    is_test,
    secrets: secretsIn(delivery),
  }
}

/** Values that must not stand in the log. */
function secretsIn({ row, settings }: Delivery): string[] {
  return catalogueOf(row.slug).fields.flatMap((field) => {
    const value = settings[field.name]
    return field.is_secret && typeof value === 'string' && value !== '' ? [value, ...pathIn(value)] : []
  })
}

/** Of an address that is secret it is the path, which error pages like to repeat without the host. */
function pathIn(value: string): string[] {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) return []
  return [url.pathname, url.search].filter((part) => part.length >= LEAST_PART)
}

function headersOf({ headers = {}, form, basic }: Request): Record<string, string> {
  const pair = basic && Buffer.from(`${basic.user}:${basic.password}`).toString('base64')
  return {
    ...(form ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
    ...(pair ? { Authorization: `Basic ${pair}` } : {}),
    ...headers,
  }
}

function bodyOf(delivery: Delivery, { json, form, body, payload }: Request): string | null | undefined {
  if (json !== undefined) return JSON.stringify(json)
  if (form) return new URLSearchParams(form).toString()
  if (payload) return delivery.event_id === undefined ? JSON.stringify(delivery.payload) : null
  return body
}

/** Vendors that have one address for everybody may be reached by another (`vendorHosts` of the start options). */
function throughGateway({ vendorHosts }: Pick<Config, 'vendorHosts'>, url: string): string {
  if (!URL.canParse(url)) return url
  const { host, pathname, search } = new URL(url)
  const gateway = Object.hasOwn(vendorHosts, host) ? vendorHosts[host]! : undefined
  return gateway === undefined ? url : `${gateway.replace(/\/+$/, '')}${pathname}${search}`
}
