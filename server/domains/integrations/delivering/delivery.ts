import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
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
