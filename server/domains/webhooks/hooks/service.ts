import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { HookChanged } from '../events.ts'
import { HEALTHY } from './health.ts'
import {
  type EventFlag,
  EVENTS,
  type HookOwner,
  type HookSecrets,
  MAX_HOOKS,
  decryptHook,
  type DecryptedHook,
  ownerIds,
  purposeOf,
  sealSecrets,
} from './hook.ts'
import * as store from './store.ts'
import type { HookColumns, HookRow } from './store.ts'
import { checkHook, isValidTarget, originOf, refuse } from './validation.ts'

/** The columns of a webhook that users set. */
export type HookFields = {
  readonly [Flag in EventFlag]?: boolean | undefined
} & {
  readonly url?: string | undefined
  readonly name?: string | null | undefined
  readonly description?: string | null | undefined
  readonly token?: string | null | undefined
  readonly enable_ssl_verification?: boolean | undefined
  readonly push_events_branch_filter?: string | null | undefined
  readonly branch_filter_strategy?: 'wildcard' | 'regex' | 'all_branches' | undefined
  readonly custom_webhook_template?: string | null | undefined
  readonly url_variables?: readonly Pair[] | undefined
  readonly custom_headers?: readonly Pair[] | undefined
}

/** A name and its value. An update without a value keeps the current one. */
interface Pair {
  readonly key: string
  readonly value?: string | undefined
}

type Settings = Pick<
  HookRow,
  'name' | 'description' | 'custom_webhook_template' | 'branch_filter_strategy' | 'push_events_branch_filter'
>

const DEFAULT_SETTINGS: Settings = {
  name: null,
  description: null,
  custom_webhook_template: null,
  branch_filter_strategy: 'wildcard',
  push_events_branch_filter: null,
}

/** Returns one page of the webhooks of an owner. */
export function listHooks(ctx: Ctx, owner: HookOwner, paging: { limit: number; offset: number }) {
  const { rows, total } = store.list(ctx.db, owner, paging)
  return { rows: rows.map((row) => decryptHook(ctx, row)), total }
}

/** Finds a webhook of an owner. Throws `404 Not found`. */
export function findHook(ctx: Pick<Ctx, 'db'>, owner: HookOwner, id: number): HookRow {
  const row = store.find(ctx.db, owner, id)
  if (!row) throw notFound()
  return row
}

/** Creates a webhook. Throws 422 for an invalid URL or other invalid values. */
export async function createHook(
  ctx: Ctx,
  owner: HookOwner,
  input: HookFields & { url: string },
): Promise<DecryptedHook> {
  checkCount(ctx, owner)
  const secrets: HookSecrets = {
    url: input.url.trim(),
    token: input.token || null,
    url_variables: mapOf(input.url_variables ?? [], {}),
    custom_headers: mapOf(input.custom_headers ?? [], {}),
  }
  const settings = settingsAfter(DEFAULT_SETTINGS, input)
  await check(ctx, owner, secrets, settings)
  return tx(ctx.db, () => {
    // Another request may have created one during the DNS lookup.
    checkCount(ctx, owner)
    const row = store.insert(ctx.db, {
      ...flagsOf(owner, { push_events: owner.kind !== 'system', ...input }),
      ...(owner.kind === 'system'
        ? { repository_update_events: input.repository_update_events ?? true }
        : {}),
      kind: owner.kind,
      project_id: owner.project_id,
      group_id: owner.group_id,
      ...settings,
      enable_ssl_verification: input.enable_ssl_verification ?? true,
      ...sealSecrets(ctx, secrets),
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    publishChange(ctx, row, 'created')
    return { row, secrets }
  })
}

/** The changes, or a function that returns them if they depend on the current secrets. */
type Change = HookFields | ((current: HookSecrets) => HookFields)

/**
 * Updates a webhook, and enables it again if its failures disabled it. Users who may change the URL must not learn the
 * secrets. So a new URL removes the token unless a new one is given, and a new host removes headers and variables.
 * Throws 422.
 */
export async function updateHook(ctx: Ctx, before: HookRow, change: Change): Promise<DecryptedHook> {
  const owner = before as HookRow & HookOwner
  const old = decryptHook(ctx, before).secrets
  const fields = typeof change === 'function' ? change(old) : change
  const secrets = secretsAfter(old, fields)
  const settings = settingsAfter(before, fields)
  await check(ctx, owner, secrets, settings)
  const result = tx(ctx.db, () => {
    const current = store.byId(ctx.db, before.id)
    if (!current) throw notFound()
    // Another request changed it during the DNS lookup.
    if (!isSame(current, before)) return current
    const row = store.update(ctx.db, before.id, {
      ...flagsOf(owner, fields),
      ...settings,
      ...(fields.enable_ssl_verification === undefined
        ? {}
        : { enable_ssl_verification: fields.enable_ssl_verification }),
      ...sealSecrets(ctx, secrets),
      ...HEALTHY,
      updated_at: ctx.now,
    })
    publishChange(ctx, row, 'updated')
    return { row, secrets }
  })
  return 'secrets' in result ? result : updateHook(ctx, result, change)
}

/**
 * True if a webhook was not updated. Every update encrypts the URL again, and the result differs even for the same URL.
 */
function isSame(a: HookRow, b: HookRow): boolean {
  return a.url === b.url
}

/** Deletes a webhook and its log. */
export function removeHook(ctx: Ctx, row: HookRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, row.id)
    publishChange(ctx, row, 'deleted')
  })
}

/** The two kinds of named values of a webhook. */
export type PairKind = 'url_variables' | 'custom_headers'

/** Sets one URL variable or custom header. Throws 422. */
export async function setPair(
  ctx: Ctx,
  row: HookRow,
  kind: PairKind,
  pair: { key: string; value: string },
): Promise<void> {
  await updateHook(ctx, row, (current) => ({ [kind]: [...withoutKey(current[kind], pair.key), pair] }))
}

/** Deletes one URL variable or custom header. Throws 404, and 422 if the URL needs the variable. */
export async function removePair(ctx: Ctx, row: HookRow, kind: PairKind, key: string): Promise<void> {
  await updateHook(ctx, row, (current) => {
    if (!Object.hasOwn(current[kind], key))
      throw notFound(kind === 'url_variables' ? 'URL variable' : 'Custom header')
    return { [kind]: withoutKey(current[kind], key) }
  })
}

function withoutKey(values: Readonly<Record<string, string>>, key: string): Pair[] {
  return Object.entries(values)
    .filter(([name]) => name !== key)
    .map(([name, value]) => ({ key: name, value }))
}

async function check(ctx: Ctx, owner: HookOwner, secrets: HookSecrets, settings: Settings): Promise<void> {
  if (!(await isValidTarget(ctx, secrets, purposeOf(owner)))) refuse('Invalid url given')
  checkHook({ ...settings, ...secrets })
}

function checkCount(ctx: Ctx, owner: HookOwner): void {
  const limit = MAX_HOOKS[owner.kind]
  if (store.count(ctx.db, owner) < limit) return
  throw fail('unprocessable', { base: [`Maximum number of ${owner.kind} hooks (${limit}) exceeded`] })
}

function secretsAfter(old: HookSecrets, fields: HookFields): HookSecrets {
  const url = fields.url?.trim() ?? old.url
  const variables = fields.url_variables ? mapOf(fields.url_variables, old.url_variables) : old.url_variables
  const hasNewHost = originOf({ url, url_variables: variables }) !== originOf(old)
  const hasNewUrl = url !== old.url || hasNewHost
  // Users must enter secrets again for another host.
  const retained = hasNewHost ? { url_variables: {}, custom_headers: {} } : old
  return {
    url,
    token: fields.token === undefined ? (hasNewUrl ? null : old.token) : fields.token || null,
    url_variables: fields.url_variables
      ? mapOf(fields.url_variables, retained.url_variables)
      : retained.url_variables,
    custom_headers: fields.custom_headers
      ? mapOf(fields.custom_headers, retained.custom_headers)
      : retained.custom_headers,
  }
}

function settingsAfter(before: Settings, fields: HookFields): Settings {
  const valueOr = <T>(value: T | undefined, otherwise: T): T => (value === undefined ? otherwise : value)
  return {
    name: valueOr(fields.name, before.name),
    description: valueOr(fields.description, before.description),
    custom_webhook_template: valueOr(fields.custom_webhook_template, before.custom_webhook_template) || null,
    branch_filter_strategy: valueOr(fields.branch_filter_strategy, before.branch_filter_strategy),
    push_events_branch_filter: valueOr(fields.push_events_branch_filter, before.push_events_branch_filter),
  }
}

function flagsOf({ kind }: HookOwner, fields: HookFields): HookColumns {
  const flags = EVENTS[kind].filter((flag) => fields[flag] !== undefined)
  return Object.fromEntries(flags.map((flag) => [flag, fields[flag]]))
}

/** Converts pairs to a map. A pair without a value keeps the current value, or becomes empty and is refused later. */
function mapOf(pairs: readonly Pair[], current: Readonly<Record<string, string>>): Record<string, string> {
  const valueOf = ({ key, value }: Pair) => value ?? (Object.hasOwn(current, key) ? current[key]! : '')
  return Object.fromEntries(pairs.map((pair) => [pair.key, valueOf(pair)]))
}

function publishChange(ctx: Ctx, row: HookRow, action: 'created' | 'updated' | 'deleted'): void {
  publish(ctx, HookChanged, { ...ownerIds(row), hook_id: row.id, action, actor_id: ctx.actor.id })
}
