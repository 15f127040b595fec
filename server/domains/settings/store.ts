import type { Selectable, Updateable } from 'kysely'

import { type Database, q } from '../../db/database.ts'
import type { BroadcastMessagesTable } from '../../db/schema.gen.ts'
import { table } from '../../db/table.ts'
import { defaults, type Settings } from './catalogue/settings.ts'
import { DEFAULTS, PLAN, type PlanLimits } from './plan_limits/types.ts'

/** A broadcast message, as stored. */
export type MessageRow = Selectable<BroadcastMessagesTable>
export type MessageColumns = Updateable<Omit<BroadcastMessagesTable, 'id'>>

export function list(
  db: Database,
  paging: { limit: number; offset: number },
): { rows: MessageRow[]; total: number } {
  const query = q.selectFrom('broadcast_messages').selectAll().orderBy('id', 'desc')
  const rows = db.all(query.limit(paging.limit).offset(paging.offset))
  const { count } = db.one<{ count: number }>('SELECT count(*) AS count FROM broadcast_messages')!
  return { rows, total: count }
}

/**
 * Returns the messages with a period that has not ended. There are few, and the window loads future ones in advance
 * to show them in time.
 */
export function currentAndFuture(db: Database, now: string): MessageRow[] {
  return db.many<MessageRow>(
    'SELECT * FROM broadcast_messages WHERE ends_at > ? ORDER BY ends_at, id LIMIT 100',
    now,
  )
}

export const { byId, insert, update, remove } = table('broadcast_messages')

/** The stored settings: those that differ from their defaults, the secrets, and the times of the row. */
export interface SettingsRow {
  changes: Partial<Settings>
  /** Encrypted values by name. */
  secrets: Readonly<Record<string, string>>
  created_at: string
  updated_at: string
}

/** Removes settings that this release does not have; another release may have stored them. */
function knownSettings(changes: Record<string, unknown>): Partial<Settings> {
  return Object.fromEntries(Object.entries(changes).filter(([name]) => Object.hasOwn(defaults, name)))
}

/** Returns the stored settings; undefined if the instance has no row yet. */
export function find(db: Database): SettingsRow | undefined {
  const row = db.one<{ changes: string; secrets: string; created_at: string; updated_at: string }>(
    'SELECT changes, secrets, created_at, updated_at FROM application_settings WHERE id = 1',
  )
  return (
    row && {
      ...row,
      changes: knownSettings(JSON.parse(row.changes) as Record<string, unknown>),
      secrets: JSON.parse(row.secrets) as Record<string, string>,
    }
  )
}

/** Returns the stored settings. Inserts the row with `now` if the instance has none. */
export function load(db: Database, now: string): SettingsRow {
  const row = find(db)
  if (row) return row
  db.exec(
    'INSERT OR IGNORE INTO application_settings (id, created_at, updated_at) VALUES (1, ?, ?)',
    now,
    now,
  )
  return { changes: {}, secrets: {}, created_at: now, updated_at: now }
}

/** Stores changes. A value that equals its default is removed, and so is a secret with the value null. */
export function change(
  db: Database,
  now: string,
  changes: Partial<Settings>,
  encrypted: Readonly<Record<string, string | null>> = {},
): SettingsRow {
  const row = load(db, now)
  const secrets = Object.fromEntries(
    Object.entries({ ...row.secrets, ...encrypted }).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    ),
  )
  const merged = { ...row.changes, ...changes }
  const nonDefault = Object.fromEntries(
    Object.entries(merged).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name as keyof Settings]),
    ),
  )
  db.exec(
    'UPDATE application_settings SET changes = ?, secrets = ?, updated_at = ? WHERE id = 1',
    JSON.stringify(nonDefault),
    JSON.stringify(secrets),
    now,
  )
  return { changes: nonDefault, secrets, created_at: row.created_at, updated_at: now }
}

/**
 * Returns the id of the group with a full path or an id. This domain reads the table itself, because groups depend on
 * settings.
 */
export function groupIdFor(db: Database, path: string, id: number): number | undefined {
  const sql = "SELECT id FROM namespaces WHERE kind = 'group' AND (full_path = ? OR id = ?)"
  return db.one<{ id: number }>(sql, path, id)?.id
}

/**
 * Returns the names of the storages that administrators added. This domain reads the table itself, because storages
 * depend on settings.
 */
export function storageNames(db: Database): string[] {
  return db.many<{ name: string }>('SELECT name FROM repository_storages').map(({ name }) => name)
}

/** Returns the current plan limits, cached. */
export function planLimits(db: Database): PlanLimits {
  return db.rememberRows('plan_limits', () => ({ ...DEFAULTS, ...storedPlanLimits(db) }))
}

/** Returns the plan limits that differ from their defaults. */
function storedPlanLimits(db: Database): Partial<PlanLimits> {
  const row = db.one<{ changes: string }>('SELECT changes FROM plan_limits WHERE plan_name = ?', PLAN)
  return row ? (JSON.parse(row.changes) as Partial<PlanLimits>) : {}
}

/** Stores the plan limits that differ from their defaults. */
export function storePlanLimits(db: Database, changes: Partial<PlanLimits>, now: string): void {
  db.exec(
    `INSERT INTO plan_limits (plan_name, changes, updated_at) VALUES (?, ?, ?)
     ON CONFLICT (plan_name) DO UPDATE SET changes = excluded.changes, updated_at = excluded.updated_at`,
    PLAN,
    JSON.stringify(changes),
    now,
  )
}
