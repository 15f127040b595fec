import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/facts.ts'
import { invalid } from '../../lib/fail.ts'
import { defaults, type Settings } from './catalogue.ts'
import type { SecretName } from './catalogue/secrets.ts'
import type { SettingsView } from './entity.ts'
import { SettingsChanged } from './events.ts'
import { settingsOf } from './current.ts'
import { performanceBar } from './performance_bar.ts'
import { bounds } from './rules/bounds.ts'
import { certificate } from './rules/certificates.ts'
import { wellFormed } from './rules/formats.ts'
import { blanks } from './rules/needs.ts'
import type { Problem } from './rules/problem.ts'
import { relations } from './rules/relations.ts'
import { storageWeights } from './rules/storages.ts'
import { apart, inSight, sealed, secretSetting } from './secrets.ts'
import * as store from './store.ts'

type Secrets = Partial<Record<SecretName, string | null>>

/** Providers of single sign-on that are set up; this application has none. */
const SIGN_IN_PROVIDERS: readonly string[] = []

/** All settings with the times of their row. */
export function view(ctx: Ctx): SettingsView {
  const { secrets, created_at, updated_at } = store.load(ctx.db, ctx.now)
  return { settings: settingsOf(ctx), secrets: inSight(ctx, secrets), created_at, updated_at }
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

/** Changes the given settings. `null` sets a clearable one to nothing; what is absent stays. */
export function changeSettings(ctx: Ctx, given: Readonly<Record<string, unknown>>): SettingsView {
  const { rest, problems } = performanceBar(ctx, given)
  const { changes: wanted, secrets } = apart(rest)
  const changes = { ...wanted, ...kept(wanted), ...withOwnHost(ctx, wanted) }
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
      secrets: inSight(ctx, row.secrets),
      created_at: row.created_at,
      updated_at: row.updated_at,
    }
  })
}

/** Settings that became others, with what they were and are. */
function differences(
  before: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): Record<string, [unknown, unknown]> {
  const others = Object.entries(changes).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  )
  return Object.fromEntries(others.map(([name, value]) => [name, [before[name], value]]))
}

/** Of the providers that nobody may sign in with, those that there are (spec administration 1.2). */
function kept({ disabled_oauth_sign_in_sources: named }: Partial<Settings>): Partial<Settings> {
  if (!named) return {}
  return { disabled_oauth_sign_in_sources: named.filter((one) => SIGN_IN_PROVIDERS.includes(one)) }
}

/** The instance itself is always one of the hosts that no proxy stands before. */
function withOwnHost(
  ctx: Pick<Ctx, 'config'>,
  { asset_proxy_allowlist: hosts }: Partial<Settings>,
): Partial<Settings> {
  if (!hosts || hosts.length === 0) return {}
  return { asset_proxy_allowlist: [...new Set([...hosts, new URL(ctx.config.url).hostname])] }
}
