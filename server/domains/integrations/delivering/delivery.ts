import type { Ctx } from '../../../ctx.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import type { Kind, SentOut } from '../../webhooks/index.ts'
import type { Settings } from '../settings.ts'
import type { IntegrationRow } from '../store.ts'

/** One event that one integration of a project is told of. */
export interface Delivery {
  readonly ctx: Ctx
  readonly project: Project
  readonly row: IntegrationRow
  /** What the integration is set to, secrets included. */
  readonly settings: Settings
  readonly kind: Kind
  /** The body that webhooks get (spec administration 3.9). */
  readonly payload: Readonly<Record<string, unknown>>
  /** The row of `hook_events`; undefined for a trial. */
  readonly event_id: number | undefined
  readonly is_test: boolean
}

/** How an integration tells somebody: one entry for each attempt; none where there is nothing to say. */
export type Vendor = (delivery: Delivery) => Promise<readonly SentOut[]>

/** A setting as text; empty where there is none. */
export function textOf({ settings }: Pick<Delivery, 'settings'>, name: string): string {
  const value = settings[name]
  return value === null || value === undefined ? '' : String(value)
}

/** A setting with several values, with any of these separators between. */
export function listOf(occasion: Pick<Delivery, 'settings'>, name: string, separators: RegExp): string[] {
  return textOf(occasion, name)
    .split(separators)
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

/** Page of the project, without a final slash. */
export function projectUrl({ ctx, project }: Pick<Delivery, 'ctx' | 'project'>): string {
  return `${ctx.config.url}/${fullPath(project)}`
}

/** An address below another, however that one ends. */
export function below(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}/${path}`
}

/** An address with parameters, those without a value left out; what it had before stays. */
export function withQuery(url: string, parameters: Readonly<Record<string, string>>): string {
  const address = new URL(url)
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== '') address.searchParams.set(name, value)
  }
  return address.toString()
}
