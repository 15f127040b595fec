import { z } from 'zod'

import { entity, time } from '../../http/entity.ts'
import { catalogue, type Settings } from './catalogue.ts'
import { hiddenNames, shownNames, type SecretName } from './catalogue/secrets.ts'
import { olderTypes, olderValues } from './older.ts'

const values = Object.fromEntries(
  Object.entries(catalogue).map(([name, one]) => [name, one.value]),
) as unknown as {
  [Name in keyof typeof catalogue]: (typeof catalogue)[Name]['value']
}

/** Settings with the times of their row. */
export interface SettingsView {
  settings: Settings
  /** Those sealed settings that have a value; in clear where the contract shows it, `true` where nobody may read it. */
  secrets: Readonly<Partial<Record<SecretName, string | true>>>
  created_at: string
  updated_at: string
}

const secretTypes = {
  ...Object.fromEntries(shownNames.map((name) => [name, z.string().nullable()])),
  // Of what is never shown, whether there is something.
  ...Object.fromEntries(hiddenNames.map((name) => [`${name}_set`, z.boolean()])),
}

/** All application settings in one object (spec rest-api, Application settings). */
export const ApplicationSettings = entity(
  'ApplicationSettings',
  {
    id: z.int(),
    created_at: time(),
    updated_at: time(),
    ...values,
    ...secretTypes,
    // A text: clients that know its type read no number here.
    polling_interval_multiplier: z.string(),
    repository_storages: z.array(z.string()),
    // Other names of the same settings, for clients that read them (spec administration 1.1).
    ...olderTypes({ ...values, ...secretTypes }, z.boolean(), z.string()),
  },
  ({ settings, secrets, created_at, updated_at }: SettingsView) => {
    const shown = {
      ...settings,
      ...Object.fromEntries(shownNames.map((name) => [name, secrets[name] ?? null])),
    }
    return {
      id: 1,
      created_at,
      updated_at,
      ...shown,
      ...Object.fromEntries(hiddenNames.map((name) => [`${name}_set`, secrets[name] !== undefined])),
      polling_interval_multiplier: decimalText(settings.polling_interval_multiplier),
      repository_storages: Object.keys(settings.repository_storages_weighted).filter(
        (name) => settings.repository_storages_weighted[name]! > 0,
      ),
      ...olderValues(shown),
    }
  },
)

/** A decimal as the contract writes it: `1.0`, `2.5`. */
function decimalText(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value)
}
