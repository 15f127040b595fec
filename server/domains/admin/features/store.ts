import type { Database } from '../../../db/database.ts'
import { CLOSED_GATES, type Gates } from './gates.ts'

/** A feature with a stored setting. */
export interface FeatureRow {
  readonly name: string
  readonly gates: Gates
}

type StoredFeature = { name: string; gates: string }

const rowOf = ({ name, gates }: StoredFeature): FeatureRow => ({
  name,
  gates: { ...CLOSED_GATES, ...(JSON.parse(gates) as Partial<Gates>) },
})

/** Returns all stored features, ordered by name. */
export function list(db: Database): FeatureRow[] {
  return db.many<StoredFeature>('SELECT name, gates FROM instance_features ORDER BY name').map(rowOf)
}

export function byName(db: Database, name: string): FeatureRow | undefined {
  const row = db.one<StoredFeature>('SELECT name, gates FROM instance_features WHERE name = ?', name)
  return row && rowOf(row)
}

/** Inserts or updates a feature. */
export function store(db: Database, { name, gates }: FeatureRow, now: string): void {
  db.exec(
    `INSERT INTO instance_features (name, gates, updated_at) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET gates = excluded.gates, updated_at = excluded.updated_at`,
    name,
    JSON.stringify(gates),
    now,
  )
}

/** Deletes a feature. Returns false if it is not stored. */
export function remove(db: Database, name: string): boolean {
  return db.exec('DELETE FROM instance_features WHERE name = ?', name).changes > 0
}
