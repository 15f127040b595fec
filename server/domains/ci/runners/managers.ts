import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import type { RunnerInfo } from './contact.ts'
import { forget, keep, newest } from './seen.ts'
import * as store from './store.ts'
import type { ManagerRow } from './store.ts'

/** No runner needs more processes; those that were silent longest make room. */
const MOST = 200

/** A call of one process of a runner; `at` is null where it did not ask for work. */
interface ManagerCall {
  readonly system_id: string
  readonly ip: string
  readonly at: string | null
}

/** The processes that use the token of a runner, with their latest contacts, the newest process first. */
export function managersOf(db: Database, runnerId: number): ManagerRow[] {
  return store.managersOf(db, runnerId).map((row) => newest(db, keyOf(runnerId, row.system_id), row))
}

/** Notes the call of a process: a new one gets its row at once, what a known one says is written later. */
export function noteManager(ctx: Ctx, runnerId: number, call: ManagerCall, info: RunnerInfo = {}): void {
  const { db } = ctx
  const key = keyOf(runnerId, call.system_id)
  const row = store.managerOf(db, runnerId, call.system_id) ?? addManager(ctx, runnerId, call.system_id)
  keep(db, key, {
    ...columnsIn(info),
    ip_address: call.ip,
    ...(call.at === null ? {} : { contacted_at: call.at }),
  })
  ctx.bookkeeping.note(
    `manager:${key}`,
    store.MANAGER_SQL,
    ...store.managerValues(newest(db, key, row)),
  )
}

function columnsIn({ version, revision, platform, architecture }: RunnerInfo) {
  const columns = Object.entries({ version, revision, platform, architecture })
  return Object.fromEntries(columns.filter(([, value]) => value !== undefined))
}

/** Removes one process of a runner; it comes back when it calls again. */
export function removeManager(db: Database, runnerId: number, systemId: string): void {
  store.removeManager(db, runnerId, systemId)
  forget(db, keyOf(runnerId, systemId))
}

function addManager({ db, now }: Ctx, runnerId: number, systemId: string): ManagerRow {
  const row = store.insertManager(db, runnerId, systemId, now)
  for (const removed of store.removeSurplusManagers(db, runnerId, MOST)) forget(db, keyOf(runnerId, removed))
  return row
}

function keyOf(runnerId: number, systemId: string): string {
  return `${runnerId}:${systemId}`
}
