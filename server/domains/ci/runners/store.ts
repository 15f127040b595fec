import type { Insertable, Selectable, Updateable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import type { RunnerManagersTable, RunnersTable } from '../../../db/schema.gen.ts'

/** A runner as stored. Its last contact may be newer in memory (`contacts.ts`). */
export type RunnerRow = Selectable<RunnersTable>
export type RunnerColumns = Updateable<RunnersTable>
export type ManagerRow = Selectable<RunnerManagersTable>

/** Kinds of runners, by whom they work for. */
export const RUNNER_TYPES = ['instance_type', 'group_type', 'project_type'] as const
export type RunnerType = (typeof RUNNER_TYPES)[number]

export function byId(db: Database, id: number): RunnerRow | undefined {
  return db.remember(`runner:${id}`, () => db.one<RunnerRow>('SELECT * FROM runners WHERE id = ?', id))
}
export { byId as runnerById }

export function byDigest(db: Database, digest: string): RunnerRow | undefined {
  const sql = 'SELECT * FROM runners WHERE token_digest = ?'
  return db.remember(`runner:digest:${digest}`, () => db.one<RunnerRow>(sql, digest))
}

/** The runner of the instance itself, once it was switched on. */
export function builtIn(db: Database): RunnerRow | undefined {
  return db.one<RunnerRow>('SELECT * FROM runners WHERE built_in = 1')
}

export function byIds(db: Database, ids: readonly number[]): RunnerRow[] {
  if (ids.length === 0) return []
  return db.many<RunnerRow>(
    'SELECT * FROM runners WHERE id IN (SELECT value FROM json_each(?))',
    jsonList([...new Set(ids)]),
  )
}

export function insert(db: Database, row: Insertable<RunnersTable>): RunnerRow {
  return db.get(q.insertInto('runners').values(row).returningAll())!
}

/** Runners that work for a project or belong to a group, counted up to `limit`. */
export function countOf(db: Database, kind: 'project' | 'group', id: number, limit: number): number {
  const from =
    kind === 'project'
      ? 'SELECT 1 FROM runner_projects WHERE project_id = ? LIMIT ?'
      : "SELECT 1 FROM runners WHERE runner_type = 'group_type' AND group_id = ? LIMIT ?"
  return db.one<{ n: number }>(`SELECT count(*) AS n FROM (${from})`, id, limit)!.n
}

export function update(db: Database, id: number, columns: RunnerColumns): RunnerRow {
  return db.get(q.updateTable('runners').set(columns).where('id', '=', id).returningAll())!
}

/** Writes what a runner says of itself; values by `contactValues`. */
export const CONTACT_SQL = `UPDATE runners SET name = ?, version = ?, revision = ?, platform = ?, architecture = ?, executor = ?,
  features = ?, config = ?, ip_address = ?, contacted_at = ? WHERE id = ?`

export function contactValues(row: RunnerRow): readonly unknown[] {
  const { name, version, revision, platform, architecture, executor, features, config } = row
  const told = [name, version, revision, platform, architecture, executor, features, config]
  return [...told, row.ip_address, row.contacted_at, row.id]
}

export function updateContact(db: Database, row: RunnerRow): void {
  db.exec(CONTACT_SQL, ...contactValues(row))
}

export function remove(db: Database, id: number): void {
  db.run(q.deleteFrom('runners').where('id', '=', id))
}

/** Projects that a runner works for, in the order in which they were assigned. */
export function projectIdsOf(db: Database, runnerId: number): number[] {
  return db
    .many<{ project_id: number }>(
      'SELECT project_id FROM runner_projects WHERE runner_id = ? ORDER BY created_at, project_id',
      runnerId,
    )
    .map((row) => row.project_id)
}

/** Lets a runner work for a project; false when it did already. */
export function assign(db: Database, runnerId: number, projectId: number, now: string): boolean {
  const sql = 'INSERT OR IGNORE INTO runner_projects (runner_id, project_id, created_at) VALUES (?, ?, ?)'
  return db.exec(sql, runnerId, projectId, now).changes > 0
}

export function unassign(db: Database, runnerId: number, projectId: number): void {
  db.exec('DELETE FROM runner_projects WHERE runner_id = ? AND project_id = ?', runnerId, projectId)
}
