import type { Database } from '../../db/database.ts'
import { defaults, type Settings } from './catalogue/settings.ts'

/** The stored row: the settings that differ from their defaults, and its times. */
export interface SettingsRow {
  changes: Partial<Settings>
  /** Encrypted values by name. */
  secrets: Readonly<Record<string, string>>
  created_at: string
  updated_at: string
}

/** A setting of another release may be stored; this release ignores it. */
function known(changes: Record<string, unknown>): Partial<Settings> {
  return Object.fromEntries(Object.entries(changes).filter(([name]) => Object.hasOwn(defaults, name)))
}

/** The row; undefined if the instance has none yet. */
export function find(db: Database): SettingsRow | undefined {
  const row = db.one<{ changes: string; secrets: string; created_at: string; updated_at: string }>(
    'SELECT changes, secrets, created_at, updated_at FROM application_settings WHERE id = 1',
  )
  return (
    row && {
      ...row,
      changes: known(JSON.parse(row.changes) as Record<string, unknown>),
      secrets: JSON.parse(row.secrets) as Record<string, string>,
    }
  )
}

/** The row; created with `now` when the instance has none. */
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

/** Stores changes; a value equal to its default is removed, and so is a secret of null. */
export function change(
  db: Database,
  now: string,
  changes: Partial<Settings>,
  sealed: Readonly<Record<string, string | null>> = {},
): SettingsRow {
  const row = load(db, now)
  const secrets = Object.fromEntries(
    Object.entries({ ...row.secrets, ...sealed }).filter((one): one is [string, string] => one[1] !== null),
  )
  const merged = { ...row.changes, ...changes }
  const kept = Object.fromEntries(
    Object.entries(merged).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name as keyof Settings]),
    ),
  )
  db.exec(
    'UPDATE application_settings SET changes = ?, secrets = ?, updated_at = ? WHERE id = 1',
    JSON.stringify(kept),
    JSON.stringify(secrets),
    now,
  )
  return { changes: kept, secrets, created_at: row.created_at, updated_at: now }
}

/** Id of the group with a full path or an id. Settings read the table themselves, because groups depend on settings. */
export function groupIdFor(db: Database, path: string, id: number): number | undefined {
  const sql = "SELECT id FROM namespaces WHERE kind = 'group' AND (full_path = ? OR id = ?)"
  return db.one<{ id: number }>(sql, path, id)?.id
}

/** Names of the storages that administrators added. Storages depend on settings, so the table is read here. */
export function storageNames(db: Database): string[] {
  return db.many<{ name: string }>('SELECT name FROM repository_storages').map(({ name }) => name)
}
