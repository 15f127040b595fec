import type { Database } from '../../../db/database.ts'
import { DEFAULTS, PLAN, type PlanLimits } from './types.ts'

/** The current limits; cached. */
export function planLimits(db: Database): PlanLimits {
  return db.remember('plan_limits', () => ({ ...DEFAULTS, ...changesOf(db) }))
}

/** Limits that differ from their defaults. */
export function changesOf(db: Database): Partial<PlanLimits> {
  const row = db.one<{ changes: string }>('SELECT changes FROM plan_limits WHERE plan_name = ?', PLAN)
  return row ? (JSON.parse(row.changes) as Partial<PlanLimits>) : {}
}

/** Stores the limits that differ from the defaults. */
export function keepChanges(db: Database, changes: Partial<PlanLimits>, now: string): void {
  db.exec(
    `INSERT INTO plan_limits (plan_name, changes, updated_at) VALUES (?, ?, ?)
     ON CONFLICT (plan_name) DO UPDATE SET changes = excluded.changes, updated_at = excluded.updated_at`,
    PLAN,
    JSON.stringify(changes),
    now,
  )
}
