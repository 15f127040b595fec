import type { Ctx } from '../../../ctx.ts'
import { tx, type Database } from '../../../db/database.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import * as store from './store.ts'
import { type ManagerRow, projectIdsOf, type RunnerColumns, type RunnerRow } from './store.ts'
import { publish } from '../../../events/publish.ts'
import { RunnerChanged } from '../events.ts'

/** The data that a runner reports about itself with its calls (spec ci 1.6). Missing fields stay unchanged. */
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
 * After this time in milliseconds without a call, the next call is written at once, so that lists by status find the
 * runner.
 */
const SILENCE_MS = 600_000

/** Returns the runner with a token. Undefined for an unknown or expired token. */
export function runnerByToken(ctx: Pick<Ctx, 'db' | 'now'>, token: string): RunnerRow | undefined {
  const row = store.byDigest(ctx.db, tokenDigest(token))
  if (!row || (row.token_expires_at !== null && row.token_expires_at <= ctx.now)) return undefined
  return withContact(ctx.db, row)
}

/** Runners by their ids, with their newest contacts. */
export function runnersByIds(db: Database, ids: readonly number[]): Map<number, RunnerRow> {
  return new Map(store.byIds(db, ids).map((row) => [row.id, withContact(db, row)]))
}

/** A runner with its newest contact. */
export function withContact(db: Database, row: RunnerRow): RunnerRow {
  return newest(db, row.id, row)
}

/** Returns the columns for the data that a runner reports. */
function columnsOf({ features, config, ...texts }: RunnerInfo = {}): RunnerColumns {
  return {
    ...texts,
    ...(features ? { features: JSON.stringify(features) } : {}),
    ...(config ? { config: JSON.stringify(config) } : {}),
  }
}

/**
 * Records a call of a runner: time, address and properties. Responses show it at once. The row is written later with
 * other bookkeeping, except after a long silence, which also publishes an event.
 */
export function noteContact(
  ctx: Ctx,
  runner: RunnerRow,
  info: RunnerInfo | undefined,
  system_id: string | null,
  ip: string,
): void {
  const { db, now } = ctx
  const { contacted_at: before } = withContact(db, runner)
  keep(db, runner.id, { ...columnsOf(info), contacted_at: now, ip_address: ip })
  const row = withContact(db, runner)
  if (before === null || Date.parse(now) - Date.parse(before) > SILENCE_MS)
    tx(db, () => {
      store.updateContact(db, row)
      publishRunner(ctx, row, 'changed')
    })
  else ctx.bookkeeping.collect(`runner:${row.id}`, store.CONTACT_SQL, ...store.contactValues(row))
  if (system_id !== null) noteManager(ctx, runner.id, { system_id, ip, at: now }, info)
}

/**
 * A runner verified its token without requesting a job: stores what it reported, but the call does not count as contact
 * (spec ci 1.5).
 */
export function noteVerified(
  ctx: Ctx,
  runner: RunnerRow,
  info: RunnerInfo | undefined,
  manager: { readonly system_id: string | null; readonly ip: string },
): void {
  if (info) {
    keep(ctx.db, runner.id, columnsOf(info) as Readonly<Record<string, unknown>>)
    store.updateContact(ctx.db, withContact(ctx.db, runner))
  }
  const { system_id, ip } = manager
  if (system_id !== null) noteManager(ctx, runner.id, { system_id, ip, at: null }, info)
}

/** Publishes a change of a runner. Call it in the transaction of the change, before a runner is removed. */
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

/**
 * The latest values from runners and their processes that are not in the database yet. Runners by id, processes by key.
 */
function seenIn(db: Database): Map<number | string, Columns> {
  return db.instance('ci.runners_seen', () => new Map<number | string, Columns>(), { dependsOnRows: true })
}

/** Keeps columns that are newer than those stored, until the instance stops. */
export function keep(db: Database, key: number | string, columns: Columns): void {
  const seen = seenIn(db)
  seen.set(key, { ...seen.get(key), ...columns })
}

/** Discards the pending values of a removed runner or process. */
export function forget(db: Database, key: number | string): void {
  seenIn(db).delete(key)
}

/** A row with the newer pending values. */
export function newest<Row extends object>(db: Database, key: number | string, row: Row): Row {
  const cached = seenIn(db).get(key)
  return cached ? { ...row, ...cached } : row
}

/** The maximum number of processes of one runner. The ones that have been silent longest are removed. */
const MAX_MANAGERS = 200

/** A call of one process of a runner. `at` is null if it did not request a job. */
interface ManagerCall {
  readonly system_id: string
  readonly ip: string
  readonly at: string | null
}

/** The processes that use the token of a runner, with their latest contacts, the newest process first. */
export function managersOf(db: Database, runnerId: number): ManagerRow[] {
  return store.managersOf(db, runnerId).map((row) => newest(db, keyOf(runnerId, row.system_id), row))
}

/** Records the call of a process. A new process gets its row at once; values of a known one are written later. */
export function noteManager(ctx: Ctx, runnerId: number, call: ManagerCall, info: RunnerInfo = {}): void {
  const { db } = ctx
  const key = keyOf(runnerId, call.system_id)
  const row = store.managerOf(db, runnerId, call.system_id) ?? addManager(ctx, runnerId, call.system_id)
  keep(db, key, {
    ...columnsIn(info),
    ip_address: call.ip,
    ...(call.at === null ? {} : { contacted_at: call.at }),
  })
  ctx.bookkeeping.collect(`manager:${key}`, store.MANAGER_SQL, ...store.managerValues(newest(db, key, row)))
}

function columnsIn({ version, revision, platform, architecture }: RunnerInfo) {
  const columns = Object.entries({ version, revision, platform, architecture })
  return Object.fromEntries(columns.filter(([, value]) => value !== undefined))
}

/** Removes one process of a runner. It reappears when it calls again. */
export function removeManager(db: Database, runnerId: number, systemId: string): void {
  store.removeManager(db, runnerId, systemId)
  forget(db, keyOf(runnerId, systemId))
}

function addManager({ db, now }: Ctx, runnerId: number, systemId: string): ManagerRow {
  const row = store.insertManager(db, runnerId, systemId, now)
  for (const removed of store.removeSurplusManagers(db, runnerId, MAX_MANAGERS))
    forget(db, keyOf(runnerId, removed))
  return row
}

function keyOf(runnerId: number, systemId: string): string {
  return `${runnerId}:${systemId}`
}
