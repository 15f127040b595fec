import type { z } from 'zod'

import { PARAMETER_ALIASES } from '../../lib/aliases.ts'
import type { Param } from '../../http/param.ts'
import { bool, int, list, text } from '../../http/params.ts'
import { catalogue, type Settings } from './catalogue/settings.ts'

type Input = Record<string, unknown>

const WEB_THROTTLE_SETTINGS = ['enabled', 'period_in_seconds', 'requests_per_period'] as const

/** Deprecated names and their current names. */
const CURRENT_NAMES: Readonly<Record<string, keyof Settings>> = {
  password_authentication_enabled: 'password_authentication_enabled_for_web',
  signin_enabled: 'password_authentication_enabled_for_web',
  allow_local_requests_from_hooks_and_services: 'allow_local_requests_from_web_hooks_and_services',
  admin_notification_email: 'abuse_notification_email',
  asset_proxy_whitelist: 'asset_proxy_allowlist',
  throttle_unauthenticated_web_enabled: 'throttle_unauthenticated_enabled',
  throttle_unauthenticated_web_period_in_seconds: 'throttle_unauthenticated_period_in_seconds',
  throttle_unauthenticated_web_requests_per_period: 'throttle_unauthenticated_requests_per_period',
}

/** Deprecated parameters with lists as one text, and the names of these lists. */
const TEXT_FORMS: Readonly<Record<string, keyof Settings>> = {
  domain_allowlist_raw: 'domain_allowlist',
  domain_denylist_raw: 'domain_denylist',
  outbound_local_requests_allowlist_raw: 'outbound_local_requests_whitelist',
  protected_paths_raw: 'protected_paths',
  notes_create_limit_allowlist_raw: 'notes_create_limit_allowlist',
  users_get_by_id_limit_allowlist_raw: 'users_get_by_id_limit_allowlist',
}

const sameAs = (name: string) => `Deprecated name of \`${name}\``

/** Deprecated names and forms of settings that requests may still send (spec administration 1.1). */
export const deprecatedParams: Record<string, Param<unknown>> = {
  password_authentication_enabled: bool()
    .optional()
    .describe(sameAs('password_authentication_enabled_for_web')),
  signin_enabled: bool().optional().describe(sameAs('password_authentication_enabled_for_web')),
  allow_local_requests_from_hooks_and_services: bool()
    .optional()
    .describe(sameAs('allow_local_requests_from_web_hooks_and_services')),
  admin_notification_email: text().nullable().optional().describe(sameAs('abuse_notification_email')),
  asset_proxy_whitelist: list(text({ max: 1024 }))
    .optional()
    .describe(sameAs('asset_proxy_allowlist')),
  ...Object.fromEntries(
    WEB_THROTTLE_SETTINGS.map((suffix) => [
      `throttle_unauthenticated_web_${suffix}`,
      (suffix === 'enabled' ? bool() : int())
        .optional()
        .describe(`Alias of \`throttle_unauthenticated_${suffix}\``),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(TEXT_FORMS).map(([raw, name]) => [
      raw,
      text()
        .optional()
        .describe(`\`${name}\` as one text. Commas, semicolons, spaces or line breaks separate the entries`),
    ]),
  ),
  performance_bar_allowed_group_path: text({ max: 1024 })
    .nullable()
    .optional()
    .describe('Path of the group that can view the performance bar'),
  performance_bar_enabled: bool()
    .optional()
    .describe('Whether the performance bar is enabled. `false` clears its group'),
  hashed_storage_enabled: bool().optional().describe('Ignored; Deskforge always uses hashed storage'),
  housekeeping_bitmaps_enabled: bool().optional().describe('Ignored; Deskforge always creates bitmaps'),
}

/** Names that exclude each other in one request. */
export const EXCLUSIVE_NAMES = [
  'password_authentication_enabled_for_web',
  'password_authentication_enabled',
  'signin_enabled',
] as const

/** Returns the settings in a request under their current names. */
export function withCurrentNames(input: Readonly<Input>): Input {
  const result: Input = {}
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue
    if (Object.hasOwn(CURRENT_NAMES, name)) result[CURRENT_NAMES[name]!] ??= value
    else if (Object.hasOwn(TEXT_FORMS, name)) {
      result[TEXT_FORMS[name]!] ??= String(value)
        .split(/[\s,;]+/)
        .filter(Boolean)
    } else result[name] = value
  }
  return { ...result, ...emailConfirmation(result) }
}

/**
 * Returns the deprecated setting of the email confirmation for the current one, and vice versa (spec administration
 * 1.2).
 */
function emailConfirmation(input: Readonly<Input>): Input {
  const { email_confirmation_setting: newer, send_user_confirmation_email: older } = input
  if (newer !== undefined) return { send_user_confirmation_email: newer === 'hard' }
  return older === undefined ? {} : { email_confirmation_setting: older ? 'hard' : 'off' }
}

/** Deprecated parameters without a setting, which are ignored. */
export const IGNORED_NAMES = ['hashed_storage_enabled', 'housekeeping_bitmaps_enabled'] as const

/** Returns the values of the deprecated names, for responses (spec administration 1.1). */
export function deprecatedValues(settings: Readonly<Input>): Input {
  const values: Input = { hashed_storage_enabled: true, housekeeping_bitmaps_enabled: true }
  for (const [name, current] of Object.entries(CURRENT_NAMES)) values[name] = settings[current]
  for (const [name, listName] of Object.entries(TEXT_FORMS))
    values[name] = (settings[listName] as string[]).join('\n')
  for (const [alias, name] of Object.entries(PARAMETER_ALIASES)) {
    if (Object.hasOwn(settings, name)) values[alias] = settings[name]
  }
  for (const approver of ['author', 'committers'] as const) {
    values[`prevent_merge_request_${approver}_approval`] =
      settings[`prevent_merge_requests_${approver}_approval`]
  }
  return values
}

/** Returns the types of the deprecated names in responses. */
export function deprecatedTypes(
  types: Readonly<Record<string, z.ZodType>>,
  flag: z.ZodType,
  plain: z.ZodType,
) {
  const sample = deprecatedValues(
    Object.fromEntries(Object.entries(catalogue).map(([name, setting]) => [name, setting.default])),
  )
  const typeOf = (name: string): z.ZodType | undefined =>
    types[CURRENT_NAMES[name] ?? PARAMETER_ALIASES[name] ?? name.replace('merge_request_', 'merge_requests_')]
  const names = [...Object.keys(sample), ...Object.keys(PARAMETER_ALIASES).filter((name) => typeOf(name))]
  return Object.fromEntries(names.map((name) => [name, typeOf(name) ?? (name in TEXT_FORMS ? plain : flag)]))
}
