import type { Config } from '../../config.ts'
import type { Ctx } from '../../ctx.ts'
import type { Database } from '../../db/database.ts'
import type { KernelSettings } from '../../ports.ts'
import { type Purpose, type OutboundPolicy, entryFor } from '../../lib/outbound.ts'
import { defaults, type Settings } from './catalogue/settings.ts'
import * as store from './store.ts'

/** All current application settings. The next call sees a change. */
export function settingsOf(ctx: Pick<Ctx, 'db' | 'now'>): Settings {
  return settingsIn(ctx.db, ctx.now)
}

/** All current application settings, for callers without a time. */
export function settingsFrom(db: Database): Settings {
  return db.remember('settings', () => ({ ...defaults, ...store.find(db)?.changes }))
}

/** All current application settings, for callers without a request (outgoing requests, body limits). */
export function settingsIn(db: Database, now: string): Settings {
  return db.remember('settings', () => ({ ...defaults, ...store.load(db, now).changes }))
}

/** The settings that the kernel needs. */
export function kernelSettings(db: Database, now: string): KernelSettings {
  return db.remember('kernel_settings', () => read(settingsIn(db, now)))
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
