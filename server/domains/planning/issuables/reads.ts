import type { Database } from '../../../db/database.ts'
import { milestonesByIds, type MilestoneRow } from '../milestones/store.ts'

/** Returns the milestones of some rows, by milestone ID. */
export function milestonesOf(
  db: Database,
  rows: readonly { readonly milestone_id: number | null }[],
): Map<number, MilestoneRow> {
  const ids = new Set(rows.flatMap((row) => (row.milestone_id === null ? [] : [row.milestone_id])))
  return ids.size === 0 ? new Map() : milestonesByIds(db, [...ids])
}
