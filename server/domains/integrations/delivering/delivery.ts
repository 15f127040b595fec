import type { Ctx } from '../../../ctx.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import type { Kind, SentOut } from '../../webhooks/index.ts'
import type { Settings } from '../settings.ts'
import type { IntegrationRow } from '../store.ts'

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
  /** The row of `hook_events`; undefined for a test. */
  readonly event_id: number | undefined
  readonly is_test: boolean
}

/** Delivers an event to a vendor. Returns one entry for each request, none if there is nothing to send. */
export type Vendor = (delivery: Delivery) => Promise<readonly SentOut[]>

/** A setting as text; empty if it is not set. */
export function textOf({ settings }: Pick<Delivery, 'settings'>, name: string): string {
  const value = settings[name]
  return value === null || value === undefined ? '' : String(value)
}

/** A setting as a list, split by separators. */
export function listOf(delivery: Pick<Delivery, 'settings'>, name: string, separators: RegExp): string[] {
  return textOf(delivery, name)
    .split(separators)
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

/** URL of the project, without a final slash. */
export function projectUrl({ ctx, project }: Pick<Delivery, 'ctx' | 'project'>): string {
  return `${ctx.config.url}/${fullPath(project)}`
}

/** A URL below another one. */
export function below(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}/${path}`
}

/** A URL with parameters added. Empty values are left out. */
export function withQuery(url: string, parameters: Readonly<Record<string, string>>): string {
  const address = new URL(url)
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== '') address.searchParams.set(name, value)
  }
  return address.toString()
}
