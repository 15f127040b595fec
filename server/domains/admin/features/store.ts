import type { Database } from '../../../db/database.ts'
import { CLOSED, type Gates } from './gates.ts'

/** A feature with a stored setting. */
export interface FeatureRow {
  readonly name: string
  readonly gates: Gates
}

type Stored = { name: string; gates: string }

const rowOf = ({ name, gates }: Stored): FeatureRow => ({
  name,
  gates: { ...CLOSED, ...(JSON.parse(gates) as Partial<Gates>) },
})

/** All stored features, by name. */
export function list(db: Database): FeatureRow[] {
  return db.many<Stored>('SELECT name, gates FROM instance_features ORDER BY name').map(rowOf)
}

export function byName(db: Database, name: string): FeatureRow | undefined {
  const row = db.one<Stored>('SELECT name, gates FROM instance_features WHERE name = ?', name)
  return row && rowOf(row)
}

/** Stores a feature. */
export function keep(db: Database, { name, gates }: FeatureRow, now: string): void {
  db.exec(
    `INSERT INTO instance_features (name, gates, updated_at) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET gates = excluded.gates, updated_at = excluded.updated_at`,
    name,
    JSON.stringify(gates),
    now,
  )
}

/** Deletes the setting of a feature; false if there was none. */
export function remove(db: Database, name: string): boolean {
  return db.exec('DELETE FROM instance_features WHERE name = ?', name).changes > 0
}
