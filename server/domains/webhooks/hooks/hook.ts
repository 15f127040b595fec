import type { Ctx } from '../../../ctx.ts'
import type { Purpose } from '../../../lib/outbound.ts'
import type { HookColumns, HookRow } from './store.ts'

/** The secrets of a webhook, decrypted. */
export interface HookSecrets {
  /** Contains `{name}` for each variable. */
  readonly url: string
  readonly token: string | null
  readonly url_variables: Readonly<Record<string, string>>
  readonly custom_headers: Readonly<Record<string, string>>
}

/** A webhook with its secrets. */
export interface DecryptedHook {
  readonly row: HookRow
  readonly secrets: HookSecrets
}

type SecretsContext = Pick<Ctx, 'secrets'>

/** Decrypts a webhook. Throws if the instance's key has changed since. */
export function decryptHook(ctx: SecretsContext, row: HookRow): DecryptedHook {
  const open = (sealed: string, column: keyof HookSecrets) =>
    ctx.secrets.open(sealed, `web_hooks.${column}`).toString()
  const openMap = (sealed: string | null, column: keyof HookSecrets) =>
    sealed === null ? {} : (JSON.parse(open(sealed, column)) as Record<string, string>)
  return {
    row,
    secrets: {
      url: open(row.url, 'url'),
      token: row.token === null ? null : open(row.token, 'token'),
      url_variables: openMap(row.url_variables, 'url_variables'),
      custom_headers: openMap(row.custom_headers, 'custom_headers'),
    },
  }
}

/** The columns with encrypted secrets. */
export function sealSecrets(
  ctx: SecretsContext,
  secrets: HookSecrets,
): Pick<HookColumns, keyof HookSecrets> & { url: string } {
  const seal = (plain: string, column: keyof HookSecrets) => ctx.secrets.seal(plain, `web_hooks.${column}`)
  const sealMap = (values: Readonly<Record<string, string>>, column: keyof HookSecrets) =>
    Object.keys(values).length === 0 ? null : seal(JSON.stringify(values), column)
  return {
    url: seal(secrets.url, 'url'),
    token: secrets.token === null ? null : seal(secrets.token, 'token'),
    url_variables: sealMap(secrets.url_variables, 'url_variables'),
    custom_headers: sealMap(secrets.custom_headers, 'custom_headers'),
  }
}

/** The event flags of webhooks, by kind of owner (spec administration 3.6). */
const PROJECT_EVENTS = [
  'push_events',
  'tag_push_events',
  'merge_requests_events',
  'issues_events',
  'confidential_issues_events',
  'note_events',
  'confidential_note_events',
  'job_events',
  'pipeline_events',
  'wiki_page_events',
  'deployment_events',
  'releases_events',
  'feature_flag_events',
  'emoji_events',
  'resource_access_token_events',
] as const
const GROUP_EVENTS = [...PROJECT_EVENTS, 'subgroup_events', 'member_events'] as const
const SYSTEM_EVENTS = [
  'push_events',
  'tag_push_events',
  'merge_requests_events',
  'repository_update_events',
] as const

/** The flags that owners of each kind may set. */
export const EVENTS = { project: PROJECT_EVENTS, group: GROUP_EVENTS, system: SYSTEM_EVENTS } as const

/** The kind of a webhook's owner; `system` is the instance. */
export type HookKind = keyof typeof EVENTS

/** A flag that owners of at least one kind may set. */
export type EventFlag = (typeof EVENTS)[HookKind][number]

/** The owner of webhooks. */
export interface HookOwner {
  readonly kind: HookKind
  readonly project_id: number | null
  readonly group_id: number | null
}

/** The maximum number of webhooks per owner. */
export const MAX_HOOKS: Readonly<Record<HookKind, number>> = { project: 100, group: 50, system: Infinity }

/** The purpose of requests to a webhook. System hooks have their own setting for the local network. */
export function purposeOf({ kind }: { readonly kind: string }): Purpose {
  return kind === 'system' ? 'system_hook' : 'any'
}

/** Returns the owner's ID in the form of events. */
export function ownerIds({ project_id, group_id }: Pick<HookOwner, 'project_id' | 'group_id'>) {
  if (project_id !== null) return { project_id }
  return group_id === null ? {} : { group_id }
}
