import { X509Certificate, createPrivateKey } from 'node:crypto'

import type { Config } from '../../config.ts'
import type { Ctx } from '../../ctx.ts'
import { tx, type Database } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { invalid } from '../../lib/fail.ts'
import { type Purpose, type OutboundPolicy, entryFor } from '../../lib/outbound.ts'
import type { KernelSettings } from '../../ports.ts'
import { catalogue, defaults, type Settings } from './catalogue/settings.ts'
import { secretSettings, type SecretName } from './catalogue/secret-settings.ts'
import type { Bounds, Setting } from './catalogue/types.ts'
import type { SettingsView } from './entity.ts'
import { SettingsChanged } from './events.ts'
import {
  resolvePerformanceBarGroup,
  formatProblems,
  blankProblems,
  type Problem,
  weightProblems,
} from './validation.ts'
import { separateSecrets, visibleSecrets, sealSecrets, secretSetting } from './service-secrets.ts'
import * as store from './store.ts'

const KEY_FAMILIES = ['rsa', 'dsa', 'ecdsa', 'ed25519', 'ecdsa_sk', 'ed25519_sk'] as const

type NumberSetting = Extract<
  { [Name in keyof Settings]: Settings[Name] extends number ? Name : never }[keyof Settings],
  string
>

/** Pairs of numbers in a fixed order: `[smaller, larger, whether they may be equal, the one with the error]`. */
const ORDERED_PAIRS: readonly [NumberSetting, NumberSetting, boolean, 'smaller' | 'larger'][] = [
  ['gitaly_timeout_fast', 'gitaly_timeout_default', true, 'smaller'],
  ['gitaly_timeout_medium', 'gitaly_timeout_default', true, 'smaller'],
  ['gitaly_timeout_fast', 'gitaly_timeout_medium', true, 'larger'],
  ['housekeeping_incremental_repack_period', 'housekeeping_full_repack_period', true, 'larger'],
  ['housekeeping_full_repack_period', 'housekeeping_gc_period', true, 'larger'],
  ['mirror_capacity_threshold', 'mirror_max_capacity', true, 'smaller'],
  [
    'inactive_projects_send_warning_email_after_months',
    'inactive_projects_delete_after_months',
    false,
    'smaller',
  ],
]

/** Returns violated rules between settings, with the values after the change (spec administration 1.2). */
function relationProblems(settings: Settings): Problem[] {
  const problems: Problem[] = []
  for (const [smaller, larger, mayBeEqual, errorOn] of ORDERED_PAIRS) {
    const [low, high] = [settings[smaller], settings[larger]]
    if (low < high || (mayBeEqual && low === high)) continue
    const orEqual = mayBeEqual ? ' or equal to' : ''
    problems.push(
      errorOn === 'smaller'
        ? [smaller, `must be less than${orEqual} ${high}`]
        : [larger, `must be greater than${orEqual} ${low}`],
    )
  }
  if (KEY_FAMILIES.every((family) => settings[`${family}_key_restriction`] < 0)) {
    problems.push(['allowed_key_types', "can't be blank"])
  }
  if (settings.domain_denylist_enabled && settings.domain_denylist.length === 0) {
    problems.push(['domain_denylist', 'Domain denylist cannot be empty if denylist is enabled.'])
  }
  if (settings.smtp_enabled && !settings.smtp_address) problems.push(['smtp_address', "can't be blank"])
  return problems
}

const BOUND_CHECKS: readonly [keyof Bounds, (value: number, limit: number) => boolean, string][] = [
  ['above', (value, limit) => value > limit, 'must be greater than'],
  ['min', (value, limit) => value >= limit, 'must be greater than or equal to'],
  ['max', (value, limit) => value <= limit, 'must be less than or equal to'],
  ['under', (value, limit) => value < limit, 'must be less than'],
]

function boundProblem(bounds: Bounds, value: unknown): string | undefined {
  if (typeof value === 'number') {
    const violated = BOUND_CHECKS.find(
      ([name, holds]) => bounds[name] !== undefined && !holds(value, bounds[name]),
    )
    return violated && `${violated[2]} ${bounds[violated[0]]}`
  }
  if (bounds.max === undefined) return undefined
  if (typeof value === 'string' && value.length > bounds.max)
    return `is too long (maximum is ${bounds.max} characters)`
  if (Array.isArray(value) && value.length > bounds.max)
    return `is too long (maximum is ${bounds.max} entries)`
  return undefined
}

/** Returns the changed values that exceed their own limits (spec administration 1.2). */
function boundProblems(changes: Readonly<Record<string, unknown>>): Problem[] {
  return Object.entries(changes).flatMap(([name, value]): Problem[] => {
    const secret = (secretSettings as Readonly<Record<string, { max: number }>>)[name]
    const limits = secret
      ? { max: secret.max }
      : (catalogue as Readonly<Record<string, Setting>>)[name]?.bounds
    const text = boundProblem(limits ?? {}, value)
    return text === undefined ? [] : [[name, text]]
  })
}

type Secrets = Partial<Record<SecretName, string | null>>

/** The configured OAuth sign-in providers. Deskforge has none. */
const SIGN_IN_PROVIDERS: readonly string[] = []

/** Returns all settings with the times of their row. */
export function view(ctx: Ctx): SettingsView {
  const { secrets, created_at, updated_at } = store.load(ctx.db, ctx.now)
  return { settings: settingsOf(ctx), secrets: visibleSecrets(ctx, secrets), created_at, updated_at }
}

function problemsOf(ctx: Ctx, changes: Partial<Settings>, secrets: Secrets): Problem[] {
  const stored = store.load(ctx.db, ctx.now)
  const settings = { ...defaults, ...stored.changes, ...changes }
  const isSet = (name: string): boolean =>
    name in secrets ? !!secrets[name as SecretName]?.trim() : Object.hasOwn(stored.secrets, name)
  const secretOf = (name: SecretName): string | null =>
    name in secrets ? (secrets[name] ?? null) : secretSetting(ctx, name)
  const changesCertificate = Object.keys({ ...changes, ...secrets }).some((name) =>
    name.startsWith('external_auth_client'),
  )
  return [
    ...boundProblems({ ...changes, ...secrets }),
    ...formatProblems(changes),
    ...weightProblems(ctx, changes),
    ...relationProblems(settings),
    ...blankProblems(settings, (name) => name in changes || name in secrets, isSet),
    ...(changesCertificate
      ? certificateProblems(
          settings.external_auth_client_cert,
          secretOf('external_auth_client_key'),
          secretOf('external_auth_client_key_pass'),
        )
      : []),
  ]
}

function throwProblems(problems: readonly Problem[]): void {
  if (problems.length === 0) return
  const fields: Record<string, string[]> = {}
  for (const [name, text] of problems) if (!fields[name]?.includes(text)) (fields[name] ??= []).push(text)
  throw invalid(fields)
}

/**
 * Changes settings. `null` clears a setting that may be empty. Absent settings stay unchanged. Throws 400 with every
 * invalid setting.
 */
export function changeSettings(ctx: Ctx, input: Readonly<Record<string, unknown>>): SettingsView {
  const { rest, problems } = resolvePerformanceBarGroup(ctx, input)
  const { changes: requested, secrets } = separateSecrets(rest)
  const changes = { ...requested, ...withoutUnknownSources(requested), ...withOwnHost(ctx, requested) }
  return tx(ctx.db, () => {
    throwProblems([...problems, ...problemsOf(ctx, changes, secrets)])
    const before: Readonly<Record<string, unknown>> = { ...settingsOf(ctx) }
    const row = store.change(ctx.db, ctx.now, changes, sealSecrets(ctx, secrets))
    publish(ctx, SettingsChanged, {
      names: [...Object.keys(changes), ...Object.keys(secrets)],
      changes: differences(before, changes),
      secrets: Object.keys(secrets),
      actor_id: ctx.actor.id,
    })
    return {
      settings: { ...defaults, ...row.changes },
      secrets: visibleSecrets(ctx, row.secrets),
      created_at: row.created_at,
      updated_at: row.updated_at,
    }
  })
}

/** Returns the changed settings with their values before and after. */
function differences(
  before: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): Record<string, [unknown, unknown]> {
  const changed = Object.entries(changes).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  )
  return Object.fromEntries(changed.map(([name, value]) => [name, [before[name], value]]))
}

/** Removes unknown providers from the disabled sign-in sources (spec administration 1.2). */
function withoutUnknownSources({
  disabled_oauth_sign_in_sources: sources,
}: Partial<Settings>): Partial<Settings> {
  if (!sources) return {}
  return { disabled_oauth_sign_in_sources: sources.filter((source) => SIGN_IN_PROVIDERS.includes(source)) }
}

/** Adds the host of the instance to the allowlist of the asset proxy, because its own images never need the proxy. */
function withOwnHost(
  ctx: Pick<Ctx, 'config'>,
  { asset_proxy_allowlist: hosts }: Partial<Settings>,
): Partial<Settings> {
  if (!hosts || hosts.length === 0) return {}
  return { asset_proxy_allowlist: [...new Set([...hosts, new URL(ctx.config.url).hostname])] }
}

/** Checks that the client certificate of external authorization is valid and that the private key belongs to it. */
function certificateProblems(cert: string | null, key: string | null, password: string | null): Problem[] {
  if (!cert) return []
  const parsed = attempt(() => new X509Certificate(cert))
  if (!parsed) return [['external_auth_client_cert', 'is not a valid X509 certificate.']]
  if (!key) return [['external_auth_client_key', "can't be blank"]]
  const privateKey = attempt(() => createPrivateKey({ key, ...(password ? { passphrase: password } : {}) }))
  if (!privateKey)
    return [['external_auth_client_key', 'could not read private key, is the passphrase correct?']]
  return parsed.checkPrivateKey(privateKey)
    ? []
    : [['external_auth_client_key', 'provided key does not match the certificate']]
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Returns all current application settings. After a change, the next call returns the new values. */
export function settingsOf(ctx: Pick<Ctx, 'db' | 'now'>): Settings {
  return settingsIn(ctx.db, ctx.now)
}

/** Returns all current application settings, for callers without a context or a time. */
export function settingsFrom(db: Database): Settings {
  return db.rememberRows('settings', () => ({ ...defaults, ...store.find(db)?.changes }))
}

/**
 * Returns all current application settings, for callers without a context, such as outgoing requests and body limits.
 */
export function settingsIn(db: Database, now: string): Settings {
  return db.rememberRows('settings', () => ({ ...defaults, ...store.load(db, now).changes }))
}

/** Returns the settings that the kernel needs. */
export function kernelSettings(db: Database, now: string): KernelSettings {
  return db.rememberRows('kernel_settings', () => toKernelSettings(settingsIn(db, now)))
}

function toKernelSettings(settings: Settings): KernelSettings {
  return {
    gitTimeLimits: {
      fast: settings.gitaly_timeout_fast,
      medium: settings.gitaly_timeout_medium,
      others: settings.gitaly_timeout_default,
    },
    outbound: (purpose, config) => outboundPolicy(settings, purpose, config),
    presented: {
      cloneUrl: settings.custom_http_clone_url_root?.replace(/\/+$/, '') || undefined,
      inHours: settings.time_tracking_limit_to_hours,
    },
    pollFactor: settings.polling_interval_multiplier,
    pageHeaders: settings.floc_enabled ? {} : { 'Permissions-Policy': 'interest-cohort=()' },
    maxFileBytes: settings.max_attachment_size * 1024 * 1024,
  }
}

function outboundPolicy(settings: Settings, purpose: Purpose, config: Config): OutboundPolicy {
  return {
    allowLocal:
      purpose === 'system_hook'
        ? settings.allow_local_requests_from_system_hooks
        : purpose === 'mail' || settings.allow_local_requests_from_web_hooks_and_services,
    allowList: [
      ...settings.outbound_local_requests_whitelist,
      ...(purpose === 'repository' ? [entryFor(config.url)] : []),
    ],
    // The SMTP server in the settings may have any address.
    onlyList: settings.deny_all_requests_except_allowed && purpose !== 'mail',
    pinsAddress: settings.dns_rebinding_protection_enabled,
  }
}
