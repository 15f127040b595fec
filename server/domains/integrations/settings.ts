import type { Ctx } from '../../ctx.ts'
import type { Kind } from '../webhooks/index.ts'
import { catalogueOf, type Flag, FLAG_DEFAULTS, FLAG_OF } from './catalogue/index.ts'
import type { IntegrationRow } from './store.ts'

const PURPOSE = 'integrations.secrets'

/** Value of a setting. */
export type Value = string | boolean | number | null

/** What an integration is set to, by the names of its fields. */
export type Settings = Record<string, Value>

/** Everything an integration is set to, secrets included, with the defaults of what nobody set. */
export function openSettings(ctx: Pick<Ctx, 'secrets'>, row: IntegrationRow): Settings {
  const defaults = catalogueOf(row.slug).fields.map((one) => [one.name, one.default ?? null])
  return { ...Object.fromEntries(defaults), ...propertiesOf(row), ...secretsOf(ctx, row) }
}

/** What may be shown of what an integration is set to. */
export function propertiesOf(row: Pick<IntegrationRow, 'properties'>): Settings {
  return JSON.parse(row.properties) as Settings
}

/** The secrets of an integration. */
export function secretsOf({ secrets }: Pick<Ctx, 'secrets'>, row: IntegrationRow): Record<string, string> {
  if (row.secrets === null) return {}
  return JSON.parse(secrets.open(row.secrets, PURPOSE).toString()) as Record<string, string>
}

/** The form in which secrets are stored; null without any. */
export function sealSecrets({ secrets }: Pick<Ctx, 'secrets'>, open: Record<string, string>): string | null {
  return Object.keys(open).length === 0 ? null : secrets.seal(JSON.stringify(open), PURPOSE)
}

/** The flags of an integration, with the defaults of new ones for those that nobody set (spec administration 3.2). */
export function flagsOf(row: Pick<IntegrationRow, 'events'>): Record<Flag, boolean> {
  return { ...FLAG_DEFAULTS, ...(JSON.parse(row.events) as Partial<Record<Flag, boolean>>) }
}

/** Whether an integration is switched on, can be told of a kind of event, and was asked to be. */
export function wants(row: Pick<IntegrationRow, 'slug' | 'active' | 'events'>, kind: Kind): boolean {
  const { events, flagOf } = catalogueOf(row.slug)
  const flag = flagOf?.[kind] ?? FLAG_OF[kind]
  return row.active && events.includes(kind) && flag !== undefined && flagsOf(row)[flag]
}
