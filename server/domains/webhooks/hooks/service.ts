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
  MOST,
  openHook,
  type OpenHook,
  ownerIds,
  purposeOf,
  sealed,
} from './hook.ts'
import * as store from './store.ts'
import type { HookColumns, HookRow } from './store.ts'
import { checkHook, isGoodTarget, originOf, refuse } from './validation.ts'

/** What can be set of a webhook. */
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

/** A name and its value; the present value, where a webhook is changed, if none is given. */
interface Pair {
  readonly key: string
  readonly value?: string | undefined
}

type Settings = Pick<
  HookRow,
  'name' | 'description' | 'custom_webhook_template' | 'branch_filter_strategy' | 'push_events_branch_filter'
>

const UNSET: Settings = {
  name: null,
  description: null,
  custom_webhook_template: null,
  branch_filter_strategy: 'wildcard',
  push_events_branch_filter: null,
}

/** One page of the webhooks of an owner. */
export function listHooks(ctx: Ctx, owner: HookOwner, paging: { limit: number; offset: number }) {
  const { rows, total } = store.list(ctx.db, owner, paging)
  return { rows: rows.map((row) => openHook(ctx, row)), total }
}

/** A webhook of an owner. Throws `404 Not Found`. */
export function findHook(ctx: Pick<Ctx, 'db'>, owner: HookOwner, id: number): HookRow {
  const found = store.find(ctx.db, owner, id)
  if (!found) throw notFound()
  return found
}

/** Adds a webhook. Throws 422 for an address that cannot be used, and for what else is not acceptable. */
export async function createHook(
  ctx: Ctx,
  owner: HookOwner,
  given: HookFields & { url: string },
): Promise<OpenHook> {
  checkRoom(ctx, owner)
  const secrets: HookSecrets = {
    url: given.url.trim(),
    token: given.token || null,
    url_variables: mapOf(given.url_variables ?? [], {}),
    custom_headers: mapOf(given.custom_headers ?? [], {}),
  }
  const settings = settingsAfter(UNSET, given)
  await check(ctx, owner, secrets, settings)
  return tx(ctx.db, () => {
    // Somebody may have added one while the name was looked up.
    checkRoom(ctx, owner)
    const row = store.insert(ctx.db, {
      ...flagsOf(owner, { push_events: owner.kind !== 'system', ...given }),
      ...(owner.kind === 'system'
        ? { repository_update_events: given.repository_update_events ?? true }
        : {}),
      kind: owner.kind,
      project_id: owner.project_id,
      group_id: owner.group_id,
      ...settings,
      enable_ssl_verification: given.enable_ssl_verification ?? true,
      ...sealed(ctx, secrets),
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    tell(ctx, row, 'created')
    return { row, secrets }
  })
}

/** What is changed; a function where that follows from what is stored. */
type Change = HookFields | ((present: HookSecrets) => HookFields)

/**
 * Changes a webhook, and switches it on again if its failures switched it off. The token goes where the address changes
 * and no new token is given; headers and variables where they would be sent to another host: whoever may change the
 * address must not be able to read them that way. Throws 422.
 */
export async function updateHook(ctx: Ctx, before: HookRow, change: Change): Promise<OpenHook> {
  const place = before as HookRow & HookOwner
  const old = openHook(ctx, before).secrets
  const given = typeof change === 'function' ? change(old) : change
  const secrets = secretsAfter(old, given)
  const settings = settingsAfter(before, given)
  await check(ctx, place, secrets, settings)
  const saved = tx(ctx.db, () => {
    const present = store.byId(ctx.db, before.id)
    if (!present) throw notFound()
    // Somebody else changed it while the name was looked up.
    if (!isSame(present, before)) return present
    const row = store.update(ctx.db, before.id, {
      ...flagsOf(place, given),
      ...settings,
      ...(given.enable_ssl_verification === undefined
        ? {}
        : { enable_ssl_verification: given.enable_ssl_verification }),
      ...sealed(ctx, secrets),
      ...HEALTHY,
      updated_at: ctx.now,
    })
    tell(ctx, row, 'updated')
    return { row, secrets }
  })
  return 'secrets' in saved ? saved : updateHook(ctx, saved, change)
}

/** Whatever is sealed looks different each time. */
function isSame(one: HookRow, other: HookRow): boolean {
  return one.url === other.url
}

/** Removes a webhook and its log. */
export function removeHook(ctx: Ctx, row: HookRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, row.id)
    tell(ctx, row, 'deleted')
  })
}

/** A value that a webhook has under a name. */
export type PairKind = 'url_variables' | 'custom_headers'

/** Sets one variable of the address, or one header. Throws 422. */
export async function setPair(
  ctx: Ctx,
  row: HookRow,
  kind: PairKind,
  pair: { key: string; value: string },
): Promise<void> {
  await updateHook(ctx, row, (present) => ({ [kind]: [...without(present[kind], pair.key), pair] }))
}

/** Removes one variable of the address, or one header. Throws 404, and 422 where the address needs the variable. */
export async function removePair(ctx: Ctx, row: HookRow, kind: PairKind, key: string): Promise<void> {
  await updateHook(ctx, row, (present) => {
    if (!Object.hasOwn(present[kind], key))
      throw notFound(kind === 'url_variables' ? 'URL variable' : 'Custom header')
    return { [kind]: without(present[kind], key) }
  })
}

function without(values: Readonly<Record<string, string>>, key: string): Pair[] {
  return Object.entries(values)
    .filter(([name]) => name !== key)
    .map(([name, value]) => ({ key: name, value }))
}

async function check(ctx: Ctx, owner: HookOwner, secrets: HookSecrets, settings: Settings): Promise<void> {
  if (!(await isGoodTarget(ctx, secrets, purposeOf(owner)))) refuse('Invalid url given')
  checkHook({ ...settings, ...secrets })
}

function checkRoom(ctx: Ctx, owner: HookOwner): void {
  const most = MOST[owner.kind]
  if (store.count(ctx.db, owner) < most) return
  throw fail('unprocessable', { base: [`Maximum number of ${owner.kind} hooks (${most}) exceeded`] })
}

function secretsAfter(old: HookSecrets, given: HookFields): HookSecrets {
  const url = given.url?.trim() ?? old.url
  const wanted = given.url_variables ? mapOf(given.url_variables, old.url_variables) : old.url_variables
  const hasMoved = originOf({ url, url_variables: wanted }) !== originOf(old)
  const isElsewhere = url !== old.url || hasMoved
  // What another host would be sent has to be entered again.
  const kept = hasMoved ? { url_variables: {}, custom_headers: {} } : old
  return {
    url,
    token: given.token === undefined ? (isElsewhere ? null : old.token) : given.token || null,
    url_variables: given.url_variables ? mapOf(given.url_variables, kept.url_variables) : kept.url_variables,
    custom_headers: given.custom_headers
      ? mapOf(given.custom_headers, kept.custom_headers)
      : kept.custom_headers,
  }
}

function settingsAfter(before: Settings, given: HookFields): Settings {
  const chosen = <T>(value: T | undefined, otherwise: T): T => (value === undefined ? otherwise : value)
  return {
    name: chosen(given.name, before.name),
    description: chosen(given.description, before.description),
    custom_webhook_template: chosen(given.custom_webhook_template, before.custom_webhook_template) || null,
    branch_filter_strategy: chosen(given.branch_filter_strategy, before.branch_filter_strategy),
    push_events_branch_filter: chosen(given.push_events_branch_filter, before.push_events_branch_filter),
  }
}

function flagsOf({ kind }: HookOwner, given: HookFields): HookColumns {
  const flags = EVENTS[kind].filter((flag) => given[flag] !== undefined)
  return Object.fromEntries(flags.map((flag) => [flag, given[flag]]))
}

/** What is left without a value is empty, which the rules refuse. */
function mapOf(pairs: readonly Pair[], present: Readonly<Record<string, string>>): Record<string, string> {
  const valueOf = ({ key, value }: Pair) => value ?? (Object.hasOwn(present, key) ? present[key]! : '')
  return Object.fromEntries(pairs.map((pair) => [pair.key, valueOf(pair)]))
}

function tell(ctx: Ctx, row: HookRow, action: 'created' | 'updated' | 'deleted'): void {
  publish(ctx, HookChanged, { ...ownerIds(row), hook_id: row.id, action, actor_id: ctx.actor.id })
}
