import type { Database } from '../../db/database.ts'
import type { Rows } from '../../db/rows.ts'
import { table } from '../../db/table.ts'

export type BackupState = 'queued' | 'running' | 'finished' | 'failed' | 'cancelled'
export type Origin = 'asked' | 'scheduled' | 'uploaded' | 'found'

/** A row of `backups`. */
export interface BackupRow {
  readonly id: number
  readonly state: BackupState
  readonly file: string | null
  readonly size: number | null
  readonly sha256: string | null
  readonly step: string | null
  readonly done: number
  readonly total: number | null
  readonly version: string | null
  readonly error: string | null
  readonly asked_by_id: number | null
  readonly created_at: string
  readonly updated_at: string
  readonly finished_at: string | null
  readonly origin: Origin
  readonly is_sealed: boolean
  /** The head of the archive as JSON. */
  readonly head: string | null
  readonly keep: number | null
  readonly outside_path: string | null
}

/** The path of a backup outside the folder of backups (`--to`); null for one in the folder. */
export const outsidePath = (row: Pick<BackupRow, 'outside_path'>): string | null => row.outside_path

/** A backup and the name of the user who requested it. */
export interface ListedBackup extends BackupRow {
  readonly asked_by: string | null
}

export type NewBackup = Partial<Omit<BackupRow, 'id'>> &
  Pick<BackupRow, 'state' | 'origin' | 'created_at' | 'updated_at'>

/** Adds a backup. */
export function insert(db: Database, row: NewBackup): BackupRow {
  const names = Object.keys(row)
  return db.one<BackupRow>(
    `INSERT INTO backups (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) RETURNING *`,
    ...Object.values(row),
  )!
}

/** Changes columns of a backup. */
export function update(db: Database, id: number, change: Partial<Omit<BackupRow, 'id'>>): void {
  const names = Object.keys(change)
  const sql = `UPDATE backups SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`
  db.exec(sql, ...Object.values(change), id)
}

export const { byId, remove } = table('backups')

const LISTED = `
  SELECT b.*, (SELECT username FROM users u WHERE u.id = b.asked_by_id) AS asked_by FROM backups b`

/** One backup with the name of its user. */
export function listed(db: Database, id: number): ListedBackup | undefined {
  return db.one<ListedBackup>(`${LISTED} WHERE b.id = ?`, id)
}

/** A page of backups, newest first. */
export function list(db: Database, page: { limit: number; offset: number }): Rows<ListedBackup> {
  const rows = db.many<ListedBackup>(`${LISTED} ORDER BY b.id DESC LIMIT ? OFFSET ?`, page.limit, page.offset)
  return { rows, total: db.one<{ n: number }>('SELECT count(*) AS n FROM backups')!.n }
}

/** All backups, oldest first. */
export function all(db: Database): BackupRow[] {
  return db.many<BackupRow>('SELECT * FROM backups ORDER BY id')
}

/** The waiting or running backup. */
export function activeBackup(db: Database): BackupRow | undefined {
  return db.one<BackupRow>("SELECT * FROM backups WHERE state IN ('queued', 'running') ORDER BY id LIMIT 1")
}

/** Finished backups that this instance created, newest first, without the first `keep`. */
export function surplus(db: Database, keep: number): BackupRow[] {
  return db.many<BackupRow>(
    `SELECT * FROM backups WHERE state = 'finished' AND origin IN ('asked', 'scheduled') AND file IS NOT NULL
     ORDER BY id DESC LIMIT -1 OFFSET ?`,
    keep,
  )
}

/** The schedule of backups. */
export interface ScheduleRow {
  readonly frequency: 'off' | 'daily' | 'weekly'
  readonly hour: number
  readonly weekday: number
  readonly keep: number
  readonly passphrase: string | null
  readonly updated_at: string
}

/** The schedule, if one was set. */
export function schedule(db: Database): ScheduleRow | undefined {
  return db.one<ScheduleRow>('SELECT * FROM backup_schedule WHERE id = 1')
}

/** Sets the schedule. */
export function setSchedule(db: Database, row: ScheduleRow): void {
  db.exec(
    `INSERT INTO backup_schedule (id, frequency, hour, weekday, keep, passphrase, updated_at) VALUES (1, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET frequency = excluded.frequency, hour = excluded.hour, weekday = excluded.weekday,
       keep = excluded.keep, passphrase = excluded.passphrase, updated_at = excluded.updated_at`,
    row.frequency,
    row.hour,
    row.weekday,
    row.keep,
    row.passphrase,
    row.updated_at,
  )
}

/** Returns when the schedule last requested a backup. */
export function lastScheduled(db: Database): string | undefined {
  const sql = "SELECT max(created_at) AS at FROM backups WHERE origin = 'scheduled'"
  return db.one<{ at: string | null }>(sql)?.at ?? undefined
}
