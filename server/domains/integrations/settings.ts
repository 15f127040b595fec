import type { Ctx } from '../../ctx.ts'
import type { Kind } from '../webhooks/index.ts'
import { catalogueOf, type Flag, FLAG_DEFAULTS, FLAG_OF } from './catalogue/index.ts'
import type { IntegrationRow } from './store.ts'

const PURPOSE = 'integrations.secrets'

/** The value of a setting. */
export type Value = string | boolean | number | null

/** The settings of an integration, by field name. */
export type Settings = Record<string, Value>

/** All settings of an integration, including secrets and defaults. */
export function openSettings(ctx: Pick<Ctx, 'secrets'>, row: IntegrationRow): Settings {
  const defaults = catalogueOf(row.slug).fields.map((field) => [field.name, field.default ?? null])
  return { ...Object.fromEntries(defaults), ...propertiesOf(row), ...secretsOf(ctx, row) }
}

/** Returns the settings of an integration without secrets. */
export function propertiesOf(row: Pick<IntegrationRow, 'properties'>): Settings {
  return JSON.parse(row.properties) as Settings
}

/** Returns the decrypted secrets of an integration. */
export function secretsOf({ secrets }: Pick<Ctx, 'secrets'>, row: IntegrationRow): Record<string, string> {
  if (row.secrets === null) return {}
  return JSON.parse(secrets.open(row.secrets, PURPOSE).toString()) as Record<string, string>
}

/** Encrypts the secrets for the database. Null without any. */
export function sealSecrets(
  { secrets }: Pick<Ctx, 'secrets'>,
  values: Record<string, string>,
): string | null {
  return Object.keys(values).length === 0 ? null : secrets.seal(JSON.stringify(values), PURPOSE)
}

/** Returns the event flags of an integration, with defaults for missing ones (spec administration 3.2). */
export function flagsOf(row: Pick<IntegrationRow, 'events'>): Record<Flag, boolean> {
  return { ...FLAG_DEFAULTS, ...(JSON.parse(row.events) as Partial<Record<Flag, boolean>>) }
}

/** Whether an active integration listens to a kind of event. */
export function listensTo(row: Pick<IntegrationRow, 'slug' | 'active' | 'events'>, kind: Kind): boolean {
  const { events, flagOf } = catalogueOf(row.slug)
  const flag = flagOf?.[kind] ?? FLAG_OF[kind]
  return row.active && events.includes(kind) && flag !== undefined && flagsOf(row)[flag]
}
