import type { Config } from '../../../config.ts'
import {
  type LoggedDelivery,
  logDelivery,
  sendRequest,
  type DeliveryResult,
  type Kind,
} from '../../webhooks/index.ts'
import { catalogueOf } from '../catalogue/index.ts'
import type { Ctx } from '../../../ctx.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import type { Settings } from '../settings.ts'
import type { IntegrationRow } from '../store.ts'

/** A request to a vendor. It has at most one of `json`, `form`, `body` and `payload`. */
export interface Request {
  readonly url: string
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  /** Needs a header with its content type. */
  readonly body?: string
  /** Send the payload of the event, as webhooks do. */
  readonly payload?: true
  /** Basic authentication. */
  readonly basic?: { readonly user: string; readonly password: string }
  /** The URL is secret: log only its host. */
  readonly isSecretAddress?: boolean
}

/** The minimum length of a part of a URL to be masked. Shorter parts, like `/hooks`, occur in many texts. */
const MIN_SECRET_LENGTH = 12

/** Sends one request and logs it for the integration, with secrets masked. */
export function send(delivery: Delivery, request: Request): Promise<DeliveryResult> {
  const { ctx, settings } = delivery
  const url = throughGateway(ctx.config, request.url)
  return sendRequest(ctx, {
    ...attemptDataOf(delivery),
    method: request.method ?? 'POST',
    url,
    ...(request.isSecretAddress && URL.canParse(url) ? { logged_url: `${new URL(url).origin}/…` } : {}),
    headers: headersOf(request),
    body: bodyOf(delivery, request),
    trustAnyCertificate: settings['enable_ssl_verification'] === false,
  })
}

/** Logs a delivery by another protocol than HTTP. */
export function logOtherDelivery(
  delivery: Delivery,
  logEntry: Omit<LoggedDelivery, 'target' | 'trigger'>,
): DeliveryResult {
  return logDelivery(delivery.ctx, { ...logEntry, ...attemptDataOf(delivery) })
}

function attemptDataOf(delivery: Delivery) {
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

/** Returns the values to mask in the log. */
function secretsIn({ row, settings }: Delivery): string[] {
  return catalogueOf(row.slug).fields.flatMap((field) => {
    const value = settings[field.name]
    return field.is_secret && typeof value === 'string' && value !== ''
      ? [value, ...secretPartsOf(value)]
      : []
  })
}

/** Returns the path of a secret URL, since error pages often repeat it without the host. */
function secretPartsOf(value: string): string[] {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) return []
  return [url.pathname, url.search].filter((part) => part.length >= MIN_SECRET_LENGTH)
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

/** One event for one integration of a project. */
export interface Delivery {
  readonly ctx: Ctx
  readonly project: Project
  readonly row: IntegrationRow
  /** The settings of the integration, including secrets. */
  readonly settings: Settings
  readonly kind: Kind
  /** The payload that webhooks get (spec administration 3.9). */
  readonly payload: Readonly<Record<string, unknown>>
  /** The row of `hook_events`. Undefined for a test. */
  readonly event_id: number | undefined
  readonly is_test: boolean
}

/** Delivers an event to a vendor. Returns one entry for each request; empty if there is nothing to send. */
export type Vendor = (delivery: Delivery) => Promise<readonly DeliveryResult[]>

/** Returns a setting as text. Empty if it is not set. */
export function textOf({ settings }: Pick<Delivery, 'settings'>, name: string): string {
  const value = settings[name]
  return value === null || value === undefined ? '' : String(value)
}

/** Returns a setting as a list, split by separators. */
export function listOf(delivery: Pick<Delivery, 'settings'>, name: string, separators: RegExp): string[] {
  return textOf(delivery, name)
    .split(separators)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** URL of the project, without a final slash. */
export function projectUrl({ ctx, project }: Pick<Delivery, 'ctx' | 'project'>): string {
  return `${ctx.config.url}/${fullPath(project)}`
}

/** Appends a path to a base URL. */
export function joinUrl(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}/${path}`
}

/** Adds parameters to a URL. Leaves out empty values. */
export function withQuery(url: string, parameters: Readonly<Record<string, string>>): string {
  const address = new URL(url)
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== '') address.searchParams.set(name, value)
  }
  return address.toString()
}
