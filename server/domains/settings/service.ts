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
import { performanceBar, wellFormed, blanks, type Problem, storageWeights } from './validation.ts'
import { splitSecrets, visibleSecrets, sealed, secretSetting } from './service-secrets.ts'
import * as store from './store.ts'

const KEY_FAMILIES = ['rsa', 'dsa', 'ecdsa', 'ed25519', 'ecdsa_sk', 'ed25519_sk'] as const

type Numbers = Extract<
  { [Name in keyof Settings]: Settings[Name] extends number ? Name : never }[keyof Settings],
  string
>

/** Numbers that limit each other: `[smaller, larger, equality allowed, setting with the error]`. */
const ORDER: readonly [Numbers, Numbers, boolean, 'smaller' | 'larger'][] = [
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

/** Limits between settings, checked with the values after the change (spec administration 1.2). */
function relations(settings: Settings): Problem[] {
  const problems: Problem[] = []
  for (const [smaller, larger, equal, on] of ORDER) {
    const [low, high] = [settings[smaller], settings[larger]]
    if (low < high || (equal && low === high)) continue
    const orEqual = equal ? ' or equal to' : ''
    problems.push(
      on === 'smaller'
        ? [smaller, `must be less than${orEqual || ''} ${high}`]
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

const NUMBERS: readonly [keyof Bounds, (value: number, limit: number) => boolean, string][] = [
  ['above', (value, limit) => value > limit, 'must be greater than'],
  ['min', (value, limit) => value >= limit, 'must be greater than or equal to'],
  ['max', (value, limit) => value <= limit, 'must be less than or equal to'],
  ['under', (value, limit) => value < limit, 'must be less than'],
]

function problemOf(bounds: Bounds, value: unknown): string | undefined {
  if (typeof value === 'number') {
    const broken = NUMBERS.find(([name, holds]) => bounds[name] !== undefined && !holds(value, bounds[name]))
    return broken && `${broken[2]} ${bounds[broken[0]]}`
  }
  if (bounds.max === undefined) return undefined
  if (typeof value === 'string' && value.length > bounds.max)
    return `is too long (maximum is ${bounds.max} characters)`
  if (Array.isArray(value) && value.length > bounds.max)
    return `is too long (maximum is ${bounds.max} entries)`
  return undefined
}

/** Limits of each changed value alone (spec administration 1.2). */
function bounds(changes: Readonly<Record<string, unknown>>): Problem[] {
  return Object.entries(changes).flatMap(([name, value]): Problem[] => {
    const secret = (secretSettings as Readonly<Record<string, { max: number }>>)[name]
    const limits = secret
      ? { max: secret.max }
      : (catalogue as Readonly<Record<string, Setting>>)[name]?.bounds
    const text = problemOf(limits ?? {}, value)
    return text === undefined ? [] : [[name, text]]
  })
}

type Secrets = Partial<Record<SecretName, string | null>>

/** Configured providers of single sign-on; there are none. */
const SIGN_IN_PROVIDERS: readonly string[] = []

/** All settings with the times of their row. */
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
  const touchesCertificate = Object.keys({ ...changes, ...secrets }).some((name) =>
    name.startsWith('external_auth_client'),
  )
  return [
    ...bounds({ ...changes, ...secrets }),
    ...wellFormed(changes),
    ...storageWeights(ctx, changes),
    ...relations(settings),
    ...blanks(settings, (name) => name in changes || name in secrets, isSet),
    ...(touchesCertificate
      ? certificate(
          settings.external_auth_client_cert,
          secretOf('external_auth_client_key'),
          secretOf('external_auth_client_key_pass'),
        )
      : []),
  ]
}

function refuseWith(problems: readonly Problem[]): void {
  if (problems.length === 0) return
  const fields: Record<string, string[]> = {}
  for (const [name, text] of problems) if (!fields[name]?.includes(text)) (fields[name] ??= []).push(text)
  throw invalid(fields)
}

/** Changes settings. `null` clears a setting that may be empty; missing settings do not change. */
export function changeSettings(ctx: Ctx, input: Readonly<Record<string, unknown>>): SettingsView {
  const { rest, problems } = performanceBar(ctx, input)
  const { changes: wanted, secrets } = splitSecrets(rest)
  const changes = { ...wanted, ...existingSources(wanted), ...withOwnHost(ctx, wanted) }
  return tx(ctx.db, () => {
    refuseWith([...problems, ...problemsOf(ctx, changes, secrets)])
    const before: Readonly<Record<string, unknown>> = { ...settingsOf(ctx) }
    const row = store.change(ctx.db, ctx.now, changes, sealed(ctx, secrets))
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

/** Changed settings with their values before and after. */
function differences(
  before: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): Record<string, [unknown, unknown]> {
  const others = Object.entries(changes).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  )
  return Object.fromEntries(others.map(([name, value]) => [name, [before[name], value]]))
}

/** The existing ones among the disabled sign-in providers (spec administration 1.2). */
function existingSources({ disabled_oauth_sign_in_sources: sources }: Partial<Settings>): Partial<Settings> {
  if (!sources) return {}
  return { disabled_oauth_sign_in_sources: sources.filter((source) => SIGN_IN_PROVIDERS.includes(source)) }
}

/** The instance itself never needs the asset proxy. */
function withOwnHost(
  ctx: Pick<Ctx, 'config'>,
  { asset_proxy_allowlist: hosts }: Partial<Settings>,
): Partial<Settings> {
  if (!hosts || hosts.length === 0) return {}
  return { asset_proxy_allowlist: [...new Set([...hosts, new URL(ctx.config.url).hostname])] }
}

/** Checks the client certificate of external authorization: readable, with its own key. */
function certificate(cert: string | null, key: string | null, password: string | null): Problem[] {
  if (!cert) return []
  const read = attempt(() => new X509Certificate(cert))
  if (!read) return [['external_auth_client_cert', 'is not a valid X509 certificate.']]
  if (!key) return [['external_auth_client_key', "can't be blank"]]
  const secret = attempt(() => createPrivateKey({ key, ...(password ? { passphrase: password } : {}) }))
  if (!secret) return [['external_auth_client_key', 'could not read private key, is the passphrase correct?']]
  return read.checkPrivateKey(secret)
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

/** All current application settings. The next call sees a change. */
export function settingsOf(ctx: Pick<Ctx, 'db' | 'now'>): Settings {
  return settingsIn(ctx.db, ctx.now)
}

/** All current application settings, for callers without a time. */
export function settingsFrom(db: Database): Settings {
  return db.rememberRows('settings', () => ({ ...defaults, ...store.find(db)?.changes }))
}

/** All current application settings, for callers without a request (outgoing requests, body limits). */
export function settingsIn(db: Database, now: string): Settings {
  return db.rememberRows('settings', () => ({ ...defaults, ...store.load(db, now).changes }))
}

/** The settings that the kernel needs. */
export function kernelSettings(db: Database, now: string): KernelSettings {
  return db.rememberRows('kernel_settings', () => read(settingsIn(db, now)))
}

function read(settings: Settings): KernelSettings {
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
    // The SMTP server of the settings may have any address.
    onlyList: settings.deny_all_requests_except_allowed && purpose !== 'mail',
    pinsAddress: settings.dns_rebinding_protection_enabled,
  }
}
