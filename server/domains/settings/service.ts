import { RE2JS } from 're2js'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/facts.ts'
import { invalid } from '../../lib/fail.ts'
import { defaults, type Settings } from './catalogue.ts'
import type { SecretName } from './catalogue/secrets.ts'
import type { SettingsView } from './entity.ts'
import { SettingsChanged } from './events.ts'
import { settingsOf } from './index.ts'
import { apart, sealed } from './secrets.ts'
import * as store from './store.ts'

const BRANCH_NAME = /^(?!-)(?!.*(\.\.|@\{|\/\/|\.lock(\/|$)))[^\s~^:?*[\\\x00-\x1f\x7f]+(?<![./])$/

const KEY_FAMILIES = ['rsa', 'dsa', 'ecdsa', 'ed25519', 'ecdsa_sk', 'ed25519_sk'] as const

function check(settings: Settings): void {
  if (KEY_FAMILIES.every((family) => settings[`${family}_key_restriction`] < 0)) {
    throw invalid({ allowed_key_types: "can't be blank" })
  }
  if (settings.default_branch_name && !BRANCH_NAME.test(settings.default_branch_name)) {
    throw invalid({ default_branch_name: 'is not a valid branch name' })
  }
  if (settings.domain_denylist_enabled && settings.domain_denylist.length === 0) {
    throw invalid({ domain_denylist: 'Domain denylist cannot be empty if denylist is enabled.' })
  }
  for (const name of ['email_restrictions', 'user_default_internal_regex'] as const) {
    if (settings[name] && !isPattern(settings[name])) throw invalid({ [name]: 'is not a valid RE2 syntax' })
  }
  if (
    settings.inactive_projects_send_warning_email_after_months >=
    settings.inactive_projects_delete_after_months
  ) {
    throw invalid({
      inactive_projects_send_warning_email_after_months:
        'must be less than inactive_projects_delete_after_months',
    })
  }
  if (settings.smtp_enabled && !settings.smtp_address) throw invalid({ smtp_address: "can't be blank" })
  for (const name of ['email_from', 'email_reply_to'] as const) {
    if (settings[name] && !isAddress(settings[name]))
      throw invalid({ [name]: 'is not a valid e-mail address' })
  }
  const prefix = settings.personal_access_token_prefix
  if (prefix && !/^[a-zA-Z0-9_+=/@:.-]+$/.test(prefix)) {
    throw invalid({
      personal_access_token_prefix:
        "can contain only letters of the Base64 alphabet (RFC4648) with the addition of '@', ':' and '.'",
    })
  }
}

function isAddress(text: string): boolean {
  return /^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(text)
}

function isPattern(source: string): boolean {
  try {
    RE2JS.compile(source)
    return true
  } catch {
    return false
  }
}

/** All settings with the times of their row. */
export function view(ctx: Ctx): SettingsView {
  const { secrets, created_at, updated_at } = store.load(ctx.db, ctx.now)
  return { settings: settingsOf(ctx), secrets: new Set(Object.keys(secrets)), created_at, updated_at }
}

/** Changes the given settings. `null` sets a clearable one to nothing; what is absent stays. */
export function changeSettings(
  ctx: Ctx,
  given: Partial<Settings> & { [Name in SecretName]?: string | null },
): SettingsView {
  const { changes, secrets } = apart(given)
  return tx(ctx.db, () => {
    check({ ...defaults, ...store.load(ctx.db, ctx.now).changes, ...changes })
    const row = store.change(ctx.db, ctx.now, changes, sealed(ctx, secrets))
    const names = [...Object.keys(changes), ...Object.keys(secrets)]
    publish(ctx, SettingsChanged, { names, actor_id: ctx.actor.id })
    return {
      settings: { ...defaults, ...row.changes },
      secrets: new Set(Object.keys(row.secrets)),
      created_at: row.created_at,
      updated_at: row.updated_at,
    }
  })
}
