import type { Config } from '../../../config.ts'
import { type LoggedDelivery, logSent, sendOut, type SentOut } from '../../webhooks/index.ts'
import { catalogueOf } from '../catalogue/index.ts'
import type { Delivery } from './delivery.ts'

/** A request to a vendor. At most one of `json`, `form`, `body` and `payload`. */
export interface Request {
  readonly url: string
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  /** Needs a header with its content type. */
  readonly body?: string
  /** Send the payload of the event, as webhooks get it. */
  readonly payload?: true
  /** Basic authentication. */
  readonly basic?: { readonly user: string; readonly password: string }
  /** The URL is secret: log only its host. */
  readonly isSecretAddress?: boolean
}

/** Shorter parts of a URL, like `/hooks`, are not masked, because they occur in many texts. */
const LEAST_PART = 12

/** Sends one request and logs it for the integration, with secrets masked. */
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

/** Logs a delivery by another protocol than HTTP. */
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

/** Values to mask in the log. */
function secretsIn({ row, settings }: Delivery): string[] {
  return catalogueOf(row.slug).fields.flatMap((field) => {
    const value = settings[field.name]
    return field.is_secret && typeof value === 'string' && value !== '' ? [value, ...pathIn(value)] : []
  })
}

/** The path of a secret URL, which error pages often repeat without the host. */
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

/** Replaces the host of a vendor by a gateway, if the start option `vendorHosts` names one. */
function throughGateway({ vendorHosts }: Pick<Config, 'vendorHosts'>, url: string): string {
  if (!URL.canParse(url)) return url
  const { host, pathname, search } = new URL(url)
  const gateway = Object.hasOwn(vendorHosts, host) ? vendorHosts[host]! : undefined
  return gateway === undefined ? url : `${gateway.replace(/\/+$/, '')}${pathname}${search}`
}
