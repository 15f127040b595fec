import type { Database } from '../../db/database.ts'
import { defaults, type Settings } from './catalogue.ts'

/** The stored row: what differs from the defaults, and when. */
export interface SettingsRow {
  changes: Partial<Settings>
  created_at: string
  updated_at: string
}

/** A setting of another release may be stored; this one does not know what it means. */
function known(changes: Record<string, unknown>): Partial<Settings> {
  return Object.fromEntries(Object.entries(changes).filter(([name]) => Object.hasOwn(defaults, name)))
}

/** The row; made with `now` when the instance has none yet. */
export function load(db: Database, now: string): SettingsRow {
  const row = db.one<{ changes: string; created_at: string; updated_at: string }>(
    'SELECT changes, created_at, updated_at FROM application_settings WHERE id = 1',
  )
  if (row) return { ...row, changes: known(JSON.parse(row.changes) as Record<string, unknown>) }
  db.exec(
    'INSERT OR IGNORE INTO application_settings (id, created_at, updated_at) VALUES (1, ?, ?)',
    now,
    now,
  )
  return { changes: {}, created_at: now, updated_at: now }
}

/** Stores changes on top of the earlier ones; a value equal to its default is forgotten. */
export function change(db: Database, now: string, changes: Partial<Settings>): SettingsRow {
  const row = load(db, now)
  const merged = { ...row.changes, ...changes }
  const kept = Object.fromEntries(
    Object.entries(merged).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name as keyof Settings]),
    ),
  )
  db.exec(
    'UPDATE application_settings SET changes = ?, updated_at = ? WHERE id = 1',
    JSON.stringify(kept),
    now,
  )
  return { changes: kept, created_at: row.created_at, updated_at: now }
}
