import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import type { RunnerInfo } from './contact.ts'
import { forget, keep, newest } from './seen.ts'
import type { ManagerRow } from './store.ts'

/** More processes than use one token in earnest; those that were silent longest make room. */
const MOST = 200

const WRITE = `UPDATE runner_managers SET version = ?, revision = ?, platform = ?, architecture = ?, ip_address = ?, contacted_at = ?
  WHERE runner_id = ? AND system_id = ?`

/** A call of one process of a runner; `at` is null where it did not ask for work. */
interface ManagerCall {
  readonly system_id: string
  readonly ip: string
  readonly at: string | null
}

/** The processes that use the token of a runner, with their newest contacts, the newest process first. */
export function managersOf(db: Database, runnerId: number): ManagerRow[] {
  const rows = db.many<ManagerRow>(
    'SELECT * FROM runner_managers WHERE runner_id = ? ORDER BY id DESC',
    runnerId,
  )
  return rows.map((row) => newest(db, keyOf(runnerId, row.system_id), row))
}

/** Notes the call of a process: a new one gets its row at once, what others tell is written later. */
export function noteManager(ctx: Ctx, runnerId: number, call: ManagerCall, info: RunnerInfo = {}): void {
  const { db } = ctx
  const key = keyOf(runnerId, call.system_id)
  const row = managerOf(db, runnerId, call.system_id) ?? insert(ctx, runnerId, call.system_id)
  keep(db, key, {
    ...only(info),
    ip_address: call.ip,
    ...(call.at === null ? {} : { contacted_at: call.at }),
  })
  const { version, revision, platform, architecture, ip_address, contacted_at } = newest(db, key, row)
  const told = [version, revision, platform, architecture, ip_address, contacted_at]
  ctx.bookkeeping.note(`manager:${key}`, WRITE, ...told, runnerId, call.system_id)
}

function only({ version, revision, platform, architecture }: RunnerInfo) {
  const told = Object.entries({ version, revision, platform, architecture })
  return Object.fromEntries(told.filter(([, value]) => value !== undefined))
}

/** Removes one process of a runner; it comes back when it calls again. */
export function removeManager(db: Database, runnerId: number, systemId: string): void {
  db.exec('DELETE FROM runner_managers WHERE runner_id = ? AND system_id = ?', runnerId, systemId)
  forget(db, keyOf(runnerId, systemId))
}

function managerOf(db: Database, runnerId: number, systemId: string): ManagerRow | undefined {
  const sql = 'SELECT * FROM runner_managers WHERE runner_id = ? AND system_id = ?'
  return db.remember(`runner-manager:${keyOf(runnerId, systemId)}`, () =>
    db.one<ManagerRow>(sql, runnerId, systemId),
  )
}

function insert({ db, now }: Ctx, runnerId: number, systemId: string): ManagerRow {
  const sql = 'INSERT INTO runner_managers (runner_id, system_id, created_at) VALUES (?, ?, ?) RETURNING *'
  const made = db.one<ManagerRow>(sql, runnerId, systemId, now)!
  const surplus = `DELETE FROM runner_managers WHERE id IN (SELECT id FROM runner_managers WHERE runner_id = ?
    ORDER BY ifnull(contacted_at, created_at) DESC, id DESC LIMIT -1 OFFSET ${MOST}) RETURNING system_id`
  for (const { system_id } of db.many<{ system_id: string }>(surplus, runnerId))
    forget(db, keyOf(runnerId, system_id))
  return made
}

function keyOf(runnerId: number, systemId: string): string {
  return `${runnerId}:${systemId}`
}
