import type { Selectable, Updateable } from 'kysely'

import { jsonList, type Database } from '../../../db/database.ts'
import type { RunnerManagersTable, RunnerSettingsTable, RunnersTable } from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'
import type { JobRow } from '../jobs/store.ts'

/** A runner as stored. Newer values of its last contact may be in memory (`contact.ts`). */
export type RunnerRow = Selectable<RunnersTable>
export type RunnerColumns = Updateable<RunnersTable>
export type ManagerRow = Selectable<RunnerManagersTable>

/** The types of runners. */
export const RUNNER_TYPES = ['instance_type', 'group_type', 'project_type'] as const
export type RunnerType = (typeof RUNNER_TYPES)[number]

export function byId(db: Database, id: number): RunnerRow | undefined {
  return db.rememberRows(`runner:${id}`, () => db.one<RunnerRow>('SELECT * FROM runners WHERE id = ?', id))
}

export { byId as runnerById }

export function byDigest(db: Database, digest: string): RunnerRow | undefined {
  const sql = 'SELECT * FROM runners WHERE token_digest = ?'
  return db.rememberRows(`runner:digest:${digest}`, () => db.one<RunnerRow>(sql, digest))
}

/** The built-in runner. Undefined until it is enabled for the first time. */
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

export const { insert, update, remove } = table('runners')

/** The number of runners of a project or group, counted up to `limit`. */
export function countRunners(db: Database, kind: 'project' | 'group', id: number, limit: number): number {
  const from =
    kind === 'project'
      ? 'SELECT 1 FROM runner_projects WHERE project_id = ? LIMIT ?'
      : "SELECT 1 FROM runners WHERE runner_type = 'group_type' AND group_id = ? LIMIT ?"
  return db.one<{ n: number }>(`SELECT count(*) AS n FROM (${from})`, id, limit)!.n
}

/** The statement that stores the data that a runner sends. Its parameters are `contactValues`. */
export const CONTACT_SQL = `UPDATE runners SET name = ?, version = ?, revision = ?, platform = ?, architecture = ?, executor = ?,
  features = ?, config = ?, ip_address = ?, contacted_at = ? WHERE id = ?`

export function contactValues(row: RunnerRow): readonly unknown[] {
  const { name, version, revision, platform, architecture, executor, features, config } = row
  const texts = [name, version, revision, platform, architecture, executor, features, config]
  return [...texts, row.ip_address, row.contacted_at, row.id]
}

export function updateContact(db: Database, row: RunnerRow): void {
  db.exec(CONTACT_SQL, ...contactValues(row))
}

/** The IDs of a runner's projects, in the order of assignment. */
export function projectIdsOf(db: Database, runnerId: number): number[] {
  return db
    .many<{ project_id: number }>(
      'SELECT project_id FROM runner_projects WHERE runner_id = ? ORDER BY created_at, project_id',
      runnerId,
    )
    .map((row) => row.project_id)
}

/** Assigns a runner to a project. Returns false if it is already assigned. */
export function assign(db: Database, runnerId: number, projectId: number, now: string): boolean {
  const sql = 'INSERT OR IGNORE INTO runner_projects (runner_id, project_id, created_at) VALUES (?, ?, ?)'
  return db.exec(sql, runnerId, projectId, now).changes > 0
}

export function unassign(db: Database, runnerId: number, projectId: number): void {
  db.exec('DELETE FROM runner_projects WHERE runner_id = ? AND project_id = ?', runnerId, projectId)
}

/** The processes of a runner, the newest first. */
export function managersOf(db: Database, runnerId: number): ManagerRow[] {
  return db.many<ManagerRow>('SELECT * FROM runner_managers WHERE runner_id = ? ORDER BY id DESC', runnerId)
}

/** A process of a runner. It is cached until its table changes, because every request of a runner reads it. */
export function managerOf(db: Database, runnerId: number, systemId: string): ManagerRow | undefined {
  const sql = 'SELECT * FROM runner_managers WHERE runner_id = ? AND system_id = ?'
  return db.rememberRows(`runner-manager:${runnerId}:${systemId}`, () =>
    db.one<ManagerRow>(sql, runnerId, systemId),
  )
}

export function insertManager(db: Database, runnerId: number, systemId: string, now: string): ManagerRow {
  const sql = 'INSERT INTO runner_managers (runner_id, system_id, created_at) VALUES (?, ?, ?) RETURNING *'
  return db.one<ManagerRow>(sql, runnerId, systemId, now)!
}

/** Removes all processes of a runner except the `limit` most recent ones. Returns the removed system IDs. */
export function removeSurplusManagers(db: Database, runnerId: number, limit: number): string[] {
  const sql = `DELETE FROM runner_managers WHERE id IN (SELECT id FROM runner_managers WHERE runner_id = ?
    ORDER BY ifnull(contacted_at, created_at) DESC, id DESC LIMIT -1 OFFSET ?) RETURNING system_id`
  return db.many<{ system_id: string }>(sql, runnerId, limit).map((row) => row.system_id)
}

export function removeManager(db: Database, runnerId: number, systemId: string): void {
  db.exec('DELETE FROM runner_managers WHERE runner_id = ? AND system_id = ?', runnerId, systemId)
}

/** The statement that stores the data that a process sends. Its parameters are `managerValues`. */
export const MANAGER_SQL = `UPDATE runner_managers SET version = ?, revision = ?, platform = ?, architecture = ?, ip_address = ?,
  contacted_at = ? WHERE runner_id = ? AND system_id = ?`

export function managerValues(row: ManagerRow): readonly unknown[] {
  const { version, revision, platform, architecture, ip_address, contacted_at } = row
  return [version, revision, platform, architecture, ip_address, contacted_at, row.runner_id, row.system_id]
}

/** The ID of the project with a registration token of this digest. */
export function projectIdByRegistrationToken(db: Database, digest: string): number | undefined {
  return db.one<{ id: number }>('SELECT id FROM projects WHERE runners_token_digest = ?', digest)?.id
}

/** The ID of the group with a registration token of this digest. */
export function groupIdByRegistrationToken(db: Database, digest: string): number | undefined {
  const sql = "SELECT id FROM namespaces WHERE runners_token_digest = ? AND kind = 'group'"
  return db.one<{ id: number }>(sql, digest)?.id
}

export type RunnerSettings = Selectable<RunnerSettingsTable>

/** The runner settings of the instance. Undefined until one is set. */
export function runnerSettings(db: Database): RunnerSettings | undefined {
  return db.one<RunnerSettings>('SELECT * FROM runner_settings WHERE id = 1')
}

/** Updates the runner settings of the instance. */
export function setRunnerSettings(
  { db, now }: { readonly db: Database; readonly now: string },
  columns: Partial<Omit<RunnerSettings, 'id' | 'updated_at'>>,
): void {
  db.exec('INSERT OR IGNORE INTO runner_settings (id, updated_at) VALUES (1, ?)', now)
  for (const [name, value] of Object.entries(columns))
    db.exec(`UPDATE runner_settings SET ${name} = ?, updated_at = ? WHERE id = 1`, value, now)
}

const FROM_RUNNING = `FROM ci_jobs INDEXED BY ci_jobs_running
  WHERE status IN ('running', 'canceling') AND kind = 'job' AND runner_id = ?`

/** The jobs that a runner is running. */
export function runningJobs(db: Database, runnerId: number): JobRow[] {
  return db.many<JobRow>(`SELECT * ${FROM_RUNNING}`, runnerId)
}

/** The number of jobs that a runner is running. */
export function countRunningJobs(db: Database, runnerId: number): number {
  return db.one<{ jobs: number }>(`SELECT count(*) AS jobs ${FROM_RUNNING}`, runnerId)!.jobs
}
