import { jsonList, type Database } from '../../../db/database.ts'

/** Ids of the milestones of a release. */
export function milestonesOf(db: Database, releaseId: number): number[] {
  const rows = db.many<{ milestone_id: number }>(
    'SELECT milestone_id FROM release_milestones WHERE release_id = ? ORDER BY milestone_id',
    releaseId,
  )
  return rows.map((row) => row.milestone_id)
}

/** Gives a release these milestones and no others. */
export function setMilestones(db: Database, releaseId: number, ids: readonly number[]): void {
  db.exec('DELETE FROM release_milestones WHERE release_id = ?', releaseId)
  db.exec(
    'INSERT INTO release_milestones (release_id, milestone_id) SELECT ?, value FROM json_each(?)',
    releaseId,
    jsonList(ids),
  )
}
