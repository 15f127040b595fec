import { z } from 'zod'

import { entity, time } from '../../http/entity.ts'
import { catalogue, type Settings } from './catalogue/settings.ts'
import { writeOnlySecretNames, readableSecretNames, type SecretName } from './catalogue/secret-settings.ts'
import { deprecatedTypes, deprecatedValues } from './params-older.ts'

const values = Object.fromEntries(
  Object.entries(catalogue).map(([name, setting]) => [name, setting.value]),
) as unknown as {
  [Name in keyof typeof catalogue]: (typeof catalogue)[Name]['value']
}

/** Settings with the times of their row. */
export interface SettingsView {
  settings: Settings
  /** Secret settings with a value: the clear text if the contract returns it, otherwise `true`. */
  secrets: Readonly<Partial<Record<SecretName, string | true>>>
  created_at: string
  updated_at: string
}

const secretTypes = {
  ...Object.fromEntries(readableSecretNames.map((name) => [name, z.string().nullable()])),
  // Responses only contain whether these secrets are set.
  ...Object.fromEntries(writeOnlySecretNames.map((name) => [`${name}_set`, z.boolean()])),
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
    // A string, because typed clients do not expect a number here.
    polling_interval_multiplier: z.string(),
    repository_storages: z.array(z.string()),
    // Deprecated names of the same settings, for clients that read them (spec administration 1.1).
    ...deprecatedTypes({ ...values, ...secretTypes }, z.boolean(), z.string()),
  },
  ({ settings, secrets, created_at, updated_at }: SettingsView) => {
    const allValues = {
      ...settings,
      ...Object.fromEntries(readableSecretNames.map((name) => [name, secrets[name] ?? null])),
    }
    return {
      id: 1,
      created_at,
      updated_at,
      ...allValues,
      ...Object.fromEntries(writeOnlySecretNames.map((name) => [`${name}_set`, secrets[name] !== undefined])),
      polling_interval_multiplier: decimalText(settings.polling_interval_multiplier),
      repository_storages: Object.keys(settings.repository_storages_weighted).filter(
        (name) => settings.repository_storages_weighted[name]! > 0,
      ),
      ...deprecatedValues(allValues),
    }
  },
)

/** Formats a decimal as the contract does: `1.0`, `2.5`. */
function decimalText(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value)
}

const choice = z.object({ value: z.union([z.string(), z.int()]), label: z.string() })
const settingDescription = z.object({
  name: z.string(),
  label: z.string(),
  help: z.string(),
  kind: z.enum([
    'switch',
    'number',
    'decimal',
    'text',
    'markdown',
    'choice',
    'list',
    'choices',
    'numbers',
    'weights',
    'switches',
    'object',
  ]),
  unit: z.string().nullable(),
  /** The meaning of an empty value. Null if the value cannot be empty. */
  empty: z.string().nullable(),
  default: z.unknown(),
  /** Limits of a number, or of the length of a text or list. */
  minimum: z.number().nullable(),
  maximum: z.number().nullable(),
  choices: z.array(choice).nullable(),
  /** Settings that a request must include when it turns this switch on. */
  needs: z.array(z.string()),
  /** The switch that this setting depends on. */
  below: z.string().nullable(),
  effect: z.enum(['here', 'echo']),
  /** `hidden`: encrypted and never returned. `shown`: encrypted and returned to administrators. */
  secret: z.enum(['hidden', 'shown']).nullable(),
})

/** A setting with its texts and limits. */
export type SettingDescription = z.output<typeof settingDescription>

/** A group of settings. */
export interface SettingGroup {
  name: string
  title: string
  settings: SettingDescription[]
}

/** All application settings by group, with the data of their fields in the window. */
export const SettingsCatalogue = entity(
  'SettingsCatalogue',
  {
    groups: z.array(z.object({ name: z.string(), title: z.string(), settings: z.array(settingDescription) })),
  },
  (groups: SettingGroup[]) => ({ groups }),
)
