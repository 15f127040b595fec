import { z } from 'zod'

import { entity, time } from '../../http/entity.ts'
import { catalogue, type Settings } from './catalogue.ts'
import { secretNames, type SecretName } from './catalogue/secrets.ts'

const values = Object.fromEntries(
  Object.entries(catalogue).map(([name, one]) => [name, one.value]),
) as unknown as {
  [Name in keyof typeof catalogue]: (typeof catalogue)[Name]['value']
}

type SecretsSet = { [Name in SecretName as `${Name}_set`]: z.ZodBoolean }
const secretsSet = Object.fromEntries(
  secretNames.map((name) => [`${name}_set`, z.boolean()]),
) as unknown as SecretsSet

/** Settings with the times of their row. */
export interface SettingsView {
  settings: Settings
  /** Those secret settings that have a value. */
  secrets: ReadonlySet<string>
  created_at: string
  updated_at: string
}

/** All application settings in one object (spec rest-api, Application settings). */
export const ApplicationSettings = entity(
  'ApplicationSettings',
  {
    id: z.int(),
    created_at: time(),
    updated_at: time(),
    ...values,
    // Of what is never shown, whether there is something.
    ...secretsSet,
    repository_storages: z.array(z.string()),
    // Older names of the same settings, for clients that still read them (spec administration 1.1).
    password_authentication_enabled: z.boolean(),
    signin_enabled: z.boolean(),
    allow_local_requests_from_hooks_and_services: z.boolean(),
  },
  ({ settings, secrets, created_at, updated_at }: SettingsView) => ({
    id: 1,
    created_at,
    updated_at,
    ...settings,
    ...(Object.fromEntries(secretNames.map((name) => [`${name}_set`, secrets.has(name)])) as {
      [Name in keyof SecretsSet]: boolean
    }),
    repository_storages: Object.keys(settings.repository_storages_weighted).filter(
      (name) => settings.repository_storages_weighted[name]! > 0,
    ),
    password_authentication_enabled: settings.password_authentication_enabled_for_web,
    signin_enabled: settings.password_authentication_enabled_for_web,
    allow_local_requests_from_hooks_and_services: settings.allow_local_requests_from_web_hooks_and_services,
  }),
)
