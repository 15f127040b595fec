import type { Ctx } from '../../../ctx.ts'
import { tx, type Database } from '../../../db/database.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import * as store from './store.ts'
import { type ManagerRow, projectIdsOf, type RunnerColumns, type RunnerRow } from './store.ts'
import { publish } from '../../../events/publish.ts'
import { RunnerChanged } from '../events.ts'

/** The data about itself that a runner sends with its requests (spec ci 1.6). Missing fields stay unchanged. */
export interface RunnerInfo {
  readonly name?: string
  readonly version?: string
  readonly revision?: string
  readonly platform?: string
  readonly architecture?: string
  readonly executor?: string
  readonly features?: Readonly<Record<string, unknown>>
  readonly config?: { readonly gpus?: string }
}

/**
 * The time in milliseconds without a request after which the next contact is stored immediately, so that lists by status
 * find the runner.
 */
const SILENCE_MS = 600_000

/** Returns the runner with a token. Undefined for an unknown or expired token. */
export function runnerByToken(ctx: Pick<Ctx, 'db' | 'now'>, token: string): RunnerRow | undefined {
  const row = store.byDigest(ctx.db, tokenDigest(token))
  if (!row || (row.token_expires_at !== null && row.token_expires_at <= ctx.now)) return undefined
  return withContact(ctx.db, row)
}

/** The runners with the given IDs, with their newest contacts, by ID. */
export function runnersByIds(db: Database, ids: readonly number[]): Map<number, RunnerRow> {
  return new Map(store.byIds(db, ids).map((row) => [row.id, withContact(db, row)]))
}

/** Adds the newest contact to a runner. */
export function withContact(db: Database, row: RunnerRow): RunnerRow {
  return withPending(db, row.id, row)
}

/** The columns for the data that a runner sends. */
function columnsOf({ features, config, ...texts }: RunnerInfo = {}): RunnerColumns {
  return {
    ...texts,
    ...(features ? { features: JSON.stringify(features) } : {}),
    ...(config ? { config: JSON.stringify(config) } : {}),
  }
}

/**
 * Records a request of a runner: the time, the address and the data that it sends. Responses show it immediately. The row
 * is written later, together with other records. Only after a long silence it is written immediately, and the event is
 * published.
 */
export function recordContact(
  ctx: Ctx,
  runner: RunnerRow,
  info: RunnerInfo | undefined,
  system_id: string | null,
  ip: string,
): void {
  const { db, now } = ctx
  const { contacted_at: before } = withContact(db, runner)
  setPending(db, runner.id, { ...columnsOf(info), contacted_at: now, ip_address: ip })
  const row = withContact(db, runner)
  if (before === null || Date.parse(now) - Date.parse(before) > SILENCE_MS)
    tx(db, () => {
      store.updateContact(db, row)
      publishRunner(ctx, row, 'changed')
    })
  else ctx.bookkeeping.collect(`runner:${row.id}`, store.CONTACT_SQL, ...store.contactValues(row))
  if (system_id !== null) recordManager(ctx, runner.id, { system_id, ip, at: now }, info)
}

/**
 * Records that a runner verified its token (spec ci 1.5). The data that it sends is stored, but the request does not count
 * as contact, because the runner requested no job.
 */
export function recordVerification(
  ctx: Ctx,
  runner: RunnerRow,
  info: RunnerInfo | undefined,
  manager: { readonly system_id: string | null; readonly ip: string },
): void {
  if (info) {
    setPending(ctx.db, runner.id, columnsOf(info) as Readonly<Record<string, unknown>>)
    store.updateContact(ctx.db, withContact(ctx.db, runner))
  }
  const { system_id, ip } = manager
  if (system_id !== null) recordManager(ctx, runner.id, { system_id, ip, at: null }, info)
}

/** Publishes the event of a changed runner. Call it in the transaction of the change, before a runner is removed. */
export function publishRunner(ctx: Ctx, row: RunnerRow, action: 'registered' | 'changed' | 'removed'): void {
  const [project_id] = row.runner_type === 'project_type' ? projectIdsOf(ctx.db, row.id) : []
  publish(ctx, RunnerChanged, {
    runner_id: row.id,
    action,
    runner_type: row.runner_type,
    ...(project_id === undefined ? {} : { project_id }),
    ...(row.group_id === null ? {} : { group_id: row.group_id }),
    actor_id: ctx.actor.id,
  })
}

type Columns = Readonly<Record<string, unknown>>

/** The newest values of runners (by ID) and their processes (by `keyOf`) that are not in the database yet. */
function pendingColumns(db: Database): Map<number | string, Columns> {
  return db.instance('ci.runners_seen', () => new Map<number | string, Columns>(), { dependsOnRows: true })
}

/** Records newer values of the columns of a runner or process. */
export function setPending(db: Database, key: number | string, columns: Columns): void {
  const pending = pendingColumns(db)
  pending.set(key, { ...pending.get(key), ...columns })
}

/** Discards the pending values of a removed runner or process. */
export function discardPending(db: Database, key: number | string): void {
  pendingColumns(db).delete(key)
}

/** A row with its newer values that are not in the database yet. */
export function withPending<Row extends object>(db: Database, key: number | string, row: Row): Row {
  const pending = pendingColumns(db).get(key)
  return pending ? { ...row, ...pending } : row
}

/** The maximum number of processes of a runner. If there are more, those with the oldest contact are removed. */
const MAX_MANAGERS = 200

/** A request of a process of a runner. `at` is null if the process did not request a job. */
interface ManagerRequest {
  readonly system_id: string
  readonly ip: string
  readonly at: string | null
}

/** The processes that use the token of a runner, with their newest contacts, the newest process first. */
export function managersOf(db: Database, runnerId: number): ManagerRow[] {
  return store.managersOf(db, runnerId).map((row) => withPending(db, keyOf(runnerId, row.system_id), row))
}

/** Records a request of a process. A new process gets its row immediately. Its values are written later. */
export function recordManager(
  ctx: Ctx,
  runnerId: number,
  request: ManagerRequest,
  info: RunnerInfo = {},
): void {
  const { db } = ctx
  const key = keyOf(runnerId, request.system_id)
  const row = store.managerOf(db, runnerId, request.system_id) ?? addManager(ctx, runnerId, request.system_id)
  setPending(db, key, {
    ...columnsIn(info),
    ip_address: request.ip,
    ...(request.at === null ? {} : { contacted_at: request.at }),
  })
  ctx.bookkeeping.collect(
    `manager:${key}`,
    store.MANAGER_SQL,
    ...store.managerValues(withPending(db, key, row)),
  )
}

function columnsIn({ version, revision, platform, architecture }: RunnerInfo) {
  const columns = Object.entries({ version, revision, platform, architecture })
  return Object.fromEntries(columns.filter(([, value]) => value !== undefined))
}

/** Removes a process of a runner. It reappears with its next request. */
export function removeManager(db: Database, runnerId: number, systemId: string): void {
  store.removeManager(db, runnerId, systemId)
  discardPending(db, keyOf(runnerId, systemId))
}

function addManager({ db, now }: Ctx, runnerId: number, systemId: string): ManagerRow {
  const row = store.insertManager(db, runnerId, systemId, now)
  for (const removed of store.removeSurplusManagers(db, runnerId, MAX_MANAGERS))
    discardPending(db, keyOf(runnerId, removed))
  return row
}

function keyOf(runnerId: number, systemId: string): string {
  return `${runnerId}:${systemId}`
}
